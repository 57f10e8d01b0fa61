import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openLog } from '#base/log/log.ts'
import { eventually } from '#test/wait.ts'
import { openVersionWatch } from './watch-versions.ts'

it('a follower who comes after a change was noted for another looks at once', async () => {
  let rounds = 0
  const watch = openVersionWatch('records', openLog('silent'), async (keys) => {
    rounds += 1
    return new Map(keys.map((key) => [key, 'v2']))
  })
  const end = new AbortController()
  const first = watch.follow('one', end.signal)
  await first.next()
  // Its page was rendered at v1.
  const second = watch.follow('one', end.signal)
  let isWoken = false
  const woken = second.next().then(() => {
    isWoken = true
  })
  const before = rounds
  await eventually('two more rounds', () => rounds > before + 1)
  assert.ok(isWoken)
  end.abort()
  await Promise.all([first.next(), second.next(), woken])
})

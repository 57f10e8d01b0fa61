import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Registry } from '@prometheus-io/client'
import { figuresAge } from './figures-age.ts'

it('the age of the figures is that of the count that fails', async () => {
  let seconds = 0
  const clock = { now: () => new Date(seconds * 1000) }
  const registry = new Registry()
  const age = async () => Number(/^\S+_age_seconds (\S+)$/m.exec(await registry.metrics())?.[1])
  const counted = figuresAge(clock, registry)
  let isBroken = false
  const good = counted(async () => {})
  const bad = counted(async () => {
    if (isBroken) throw new Error('no space left on device')
  })
  const countBoth = async () => {
    await good(clock.now())
    await bad(clock.now()).catch(() => {})
  }
  const seen: number[] = []
  for (const [at, isNowBroken] of [
    [60, false],
    [120, true],
    [180, true],
    [240, false],
  ] as const) {
    seconds = at
    isBroken = isNowBroken
    await countBoth()
    seen.push(await age())
  }
  assert.deepEqual(seen, [0, 60, 120, 0])
})

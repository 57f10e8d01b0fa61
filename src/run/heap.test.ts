import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

test('where objects begin grows to 64 MB, and about as far after a quiet hour', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--input-type=module',
    '--eval',
    program,
  ])
  // What V8 does not know it complains about, and goes on.
  assert.equal(stderr, '')
  const { busy, quiet, busyAgain } = JSON.parse(stdout) as Record<string, number>
  assert.equal(busy, 64)
  assert.ok((quiet ?? 64) <= 8, `${quiet} MB are kept in a quiet hour`)
  assert.ok(busyAgain !== undefined && busyAgain >= 40 && busyAgain < 80, `${busyAgain} MB`)
})

// Its own process: what is set holds for a whole one.
const program = `
import { getHeapSpaceStatistics } from 'node:v8'
import { setImmediate } from 'node:timers/promises'
import { keepHeapSmall } from ${JSON.stringify(new URL('heap.ts', import.meta.url).href)}

keepHeapSmall()

function youngMb() {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  return young.space_size / 2 ** 20
}

// Many small things, most of which are soon of no use, as under load.
const alive = []
async function work() {
  for (let round = 0; round < 3000; round += 1) {
    for (let n = 0; n < 5000; n += 1)
      alive[Math.floor((round * 5000 + n) / 3) % 60_000] = { round, n, more: [n, n, n, n] }
    await setImmediate()
  }
  return youngMb()
}

const busy = await work()
// What V8 does by itself when nothing has happened for a while.
gc({ type: 'major', flavor: 'last-resort' })
const quiet = youngMb()
console.log(JSON.stringify({ busy, quiet, busyAgain: await work() }))
`

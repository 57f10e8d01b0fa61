import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { runProgram } from '../../test/program.ts'

test('the young generation grows to 64 MB, and about as far after V8 has shrunk it', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--input-type=module',
    '--eval',
    program,
  ])
  // V8 prints a complaint about a flag that it does not know, and continues.
  assert.equal(stderr, '')
  const { busy, quiet, busyAgain } = JSON.parse(stdout) as Record<string, number>
  assert.equal(busy, 64)
  assert.ok((quiet ?? 64) <= 8, `${quiet} MB are kept after the shrinking collection`)
  assert.ok(busyAgain !== undefined && busyAgain >= 40 && busyAgain < 80, `${busyAgain} MB`)
})

test('a start takes the code that the last one has compiled, whatever ran since', async () => {
  // They read the settings and go no further.
  const own = { PORT: 'none', NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
  await runProgram(['serve'], own)
  // Without the flags, under which V8 takes no code that was compiled with them.
  await runProgram(['migrate', 'status'], own)
  const { stdout, stderr } = await runProgram(['serve'], own)
  const found = `${stdout}${stderr}`.match(/ code cache for .* was (accepted|rejected)/g) ?? []
  assert.ok(found.length > 20)
  assert.deepEqual(
    found.filter((line) => !line.endsWith('accepted')),
    [],
  )
})

// A process of its own: V8 flags apply to a whole process.
const heap = JSON.stringify(new URL('heap.ts', import.meta.url).href)
const program = `
import { getHeapSpaceStatistics } from 'node:v8'
import { setImmediate } from 'node:timers/promises'
import { keepHeapSmall, keepYoungGenerationSmall } from ${heap}

keepHeapSmall()
keepYoungGenerationSmall()

function youngMb() {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  return young.space_size / 2 ** 20
}

// Many small objects, most of which are soon unreachable, as under load.
const alive = []
async function work() {
  for (let round = 0; round < 1200; round += 1) {
    for (let n = 0; n < 5000; n += 1)
      alive[Math.floor((round * 5000 + n) / 3) % 60_000] = { round, n, more: [n, n, n, n] }
    await setImmediate()
  }
  return youngMb()
}

const busy = await work()
// V8 does this by itself when the process has been idle for a while.
gc({ type: 'major', flavor: 'last-resort' })
const quiet = youngMb()
console.log(JSON.stringify({ busy, quiet, busyAgain: await work() }))
`

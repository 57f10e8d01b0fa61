import { relative, resolve } from 'node:path'
import type { SuiteFn } from 'node:test'
import { pathToFileURL } from 'node:url'
import { closeShared } from './at-end.ts'

/*
 * node test/share-process.ts FILES
 *
 * Runs test files one after the other in this process. Most of the time of a short file is that of
 * loading the gateway's modules and of running code that is not compiled yet. Each file is a suite
 * here: its hooks run at its end, as in a process of its own, and leave nothing open to the next.
 */
// Not by import: what has been imported from it can no longer be replaced.
const tests = process.getBuiltinModule('node:test')
const { describe, mock } = tests
const building: unknown[] = []
tests.describe = Object.assign(describeAndNote, describe)

for (const file of process.argv.slice(2)) {
  const { href } = pathToFileURL(resolve(file))
  await describe(relative('.', file), async () => {
    await import(href)
    // As in a process of its own, no test begins before all suites have been set up.
    while (building.length > 0) await Promise.allSettled(building.splice(0))
  })
  mock.reset()
}

// What a test leaves open would keep the process alive for ever, and with it the whole run.
setTimeout(
  () => {
    const open = process.getActiveResourcesInfo().join(', ')
    process.stderr.write(`After its last test this process was kept alive by: ${open}\n`)
    process.exit(1)
  },
  Number(process.env.TEST_LINGER_MS ?? 20_000),
).unref()
await closeShared()

/** `describe`; `building` gets what the suite's function returns, a promise if it is async. */
function describeAndNote(...words: unknown[]): Promise<void> {
  const note = (build: SuiteFn): SuiteFn => {
    return (context) => {
      const built = build(context)
      building.push(built)
      return built
    }
  }
  const noting = words.map((word) => (typeof word === 'function' ? note(word as SuiteFn) : word))
  return Reflect.apply(describe, undefined, noting)
}

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { type Description, generateTypes } from '../sdk/typescript/generate-types.ts'
import { killableGateway } from './killable-gateway.ts'
import { missing } from './needs.ts'
import { openSdkHost } from './sdk-host.ts'
import { slowTest, usualTest } from './size.ts'

const gateway = await killableGateway()
await gateway.start()
const host = await openSdkHost(gateway)

// Each command is given the file of scenarios as its last argument: sdk/README.md.
const runners: [language: string, command: string[], skip: string | false][] = [
  ['typescript', [process.execPath, 'sdk/typescript/test/run-scenarios.ts'], false],
  ['php', ['php', 'sdk/php/tests/run-scenarios.php'], missing('php')],
  // Without files of its own beside the sources.
  ['python', ['python3', '-B', 'sdk/python/tests/run_scenarios.py'], missing('python3')],
]

it('the types of the TypeScript client are those of the gateway: npm run write types', async () => {
  const answer = await fetch(`${gateway.caller.url}/openapi.json`)
  const types = generateTypes((await answer.json()) as Description)
  assert.equal(readFileSync('sdk/typescript/src/interface.ts', 'utf8'), types)
})

describe('the clients, through a network that loses answers', () => {
  // One language in npm test: the others are written after the same table, and rarely changed.
  for (const [index, [language, command, skip]] of runners.entries()) {
    const test = index === 0 ? usualTest : slowTest
    test(`${language} does what sdk/scenarios.json says`, { skip }, async () => {
      assert.deepEqual(await host.run(language, command), [])
    })
  }

  it('python needs nothing newer than Python 3.9', { skip: missing('python3') }, () => {
    const read = 'ast.parse(pathlib.Path(one).read_text(), feature_version=(3, 9))'
    const script = `import ast, pathlib, sys\nfor one in sys.argv[1:]: ${read}`
    execFileSync('python3', ['-c', script, ...globSync('sdk/python/**/*.py')])
  })

  it('paid nothing twice', () => host.proveMoney())
})

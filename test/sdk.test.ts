import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { describe, it } from 'node:test'
import { noPhp, noPython } from './interpreters.ts'
import { killableGateway } from './killable-gateway.ts'
import { openSdkHost } from './sdk-host.ts'

const gateway = await killableGateway()
await gateway.start()
const host = await openSdkHost(gateway)

// Each command is given the file of scenarios as its last argument: sdk/README.md.
const runners: [language: string, command: string[], skip: string | false][] = [
  ['typescript', [process.execPath, 'sdk/typescript/test/run-scenarios.ts'], false],
  ['php', ['php', 'sdk/php/tests/run-scenarios.php'], noPhp],
  // Without files of its own beside the sources.
  ['python', ['python3', '-B', 'sdk/python/tests/run_scenarios.py'], noPython],
]

describe('the clients, through a network that loses answers', () => {
  for (const [language, command, skip] of runners)
    it(`${language} does what sdk/scenarios.json says`, { skip }, async () => {
      assert.deepEqual(await host.run(language, command), [])
    })

  it('python needs nothing newer than Python 3.9', { skip: noPython }, () => {
    const read = 'ast.parse(pathlib.Path(one).read_text(), feature_version=(3, 9))'
    const script = `import ast, pathlib, sys\nfor one in sys.argv[1:]: ${read}`
    execFileSync('python3', ['-c', script, ...globSync('sdk/python/**/*.py')])
  })

  it('paid nothing twice', () => host.proveMoney())
})

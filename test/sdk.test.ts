import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { killableGateway } from './killable-gateway.ts'
import { openSdkHost } from './sdk-host.ts'

const gateway = await killableGateway()
await gateway.start()
const host = await openSdkHost(gateway)

// Each command is given the file of scenarios as its last argument: sdk/README.md.
const runners: [language: string, command: string[]][] = [
  ['typescript', [process.execPath, 'sdk/typescript/test/run-scenarios.ts']],
]

describe('the clients, through a network that loses answers', () => {
  for (const [language, command] of runners)
    it(`${language} does what sdk/scenarios.json says`, async () => {
      assert.deepEqual(await host.run(language, command), [])
    })

  it('paid nothing twice', () => host.proveMoney())
})

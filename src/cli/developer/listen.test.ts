import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { liveGateway } from '../../../test/live.ts'
import { runProgram, startProgram } from '../../../test/program.ts'
import { announce, endedTransaction, openReceiver } from '../../../test/receiver.ts'
import { eventually } from '../../../test/wait.ts'
import { demoWebhookSecret } from '../../sandbox/demo.ts'

const live = await liveGateway({ pace: 20 })

describe('passerelle listen', () => {
  async function merchant() {
    const { clientId, secret } = await live.newMerchant(0)
    const [key] = await live.db<{ id: string }>`
      select id from api_keys where client_id = ${clientId}`
    const keyId = key?.id ?? ''
    const add = (externalId: string) =>
      announce(live, [endedTransaction({ clientId, keyId, externalId })])
    return { add, options: ['--gateway', live.url, '--key', secret, '--json'] }
  }

  /** Runs it until `isDone`, and returns the ids of the transactions that it printed. */
  async function listen(options: string[], isDone: (ids: string[]) => unknown): Promise<string[]> {
    const program = startProgram(['listen', ...options], {})
    const ids = () =>
      program
        .printed()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).event.externalTransactionId)
    await eventually('it has printed enough', async () => isDone(ids()))
    program.kill('SIGTERM')
    await program.ended
    return ids()
  }

  it('prints what happens from now on, and forwards it as a signed webhook', async () => {
    const { add, options } = await merchant()
    const receiver = await openReceiver()
    await add('past')
    const printed = await listen([...options, '--forward-to', receiver.url], async (ids) => {
      // Until it is connected, nobody listens.
      if (ids.length === 0) await add('new')
      return ids.length > 0
    })
    assert.deepEqual(new Set(printed), new Set(['new']))
    const [got] = receiver.got
    const verified = new Webhook(demoWebhookSecret).verify(
      got?.body ?? '',
      got?.headers as Record<string, string>,
    ) as { externalTransactionId: string }
    assert.equal(verified.externalTransactionId, 'new')
  })

  it('begins at the beginning, or after a cursor, when told to', async () => {
    const { add, options } = await merchant()
    for (const id of ['one', 'two', 'three']) await add(id)
    const atLeast = (count: number) => (ids: string[]) => ids.length >= count
    const all = await listen([...options, '--after', 'start'], atLeast(3))
    assert.deepEqual(all, ['one', 'two', 'three'])
    assert.deepEqual(await listen([...options, '--after', '2'], atLeast(1)), ['three'])
  })

  const refused: [name: string, options: string[], says: RegExp][] = [
    ['a wrong key', ['--gateway', live.url, '--key', 'sk_sandbox_wrong'], /401.*Invalid API KEY/],
    ['a wrong cursor', ['--gateway', live.url, '--after', 'x'], /\(40[01]\)/],
    ['a gateway that is not there', ['--gateway', 'http://127.0.0.1:1'], /cannot be reached/],
  ]
  for (const [name, options, says] of refused)
    it(`says so and ends with ${name}`, async () => {
      const { code, stderr } = await runProgram(['listen', ...options], {})
      assert.notEqual(code, 0)
      assert.match(stderr, says)
    })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventName } from '#edge/wire/event-name.ts'
import { endLifetime } from '#test/links.ts'
import { liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { assertRefused, commandLine, startProgram } from '#test/program.ts'
import { eventually } from '#test/wait.ts'
import { scenarios } from './trigger-scenarios.ts'

const live = await liveGateway({ pace: 50 })
const there = { PASSERELLE_URL: live.url, PASSERELLE_KEY: live.secret }
const passerelle = commandLine(there, 'shared')

describe('passerelle trigger', () => {
  for (const { event: name, cause } of scenarios.filter(({ event }) => event !== 'payment.expired'))
    it(`makes ${name} ${cause ?? ''}`, async () => {
      const option = cause === undefined ? '' : `--cause ${cause}`
      const { id, event } = await passerelle.json(`trigger ${name} ${option}`)
      assert.match(id, /^evt_/)
      const isToken = name === 'bill.token'
      assert.equal(eventName(event), isToken ? 'bill.success' : name)
      assert.equal(event.FAILURE_CODE, cause ?? '')
      assert.equal(Boolean(event.TOKEN), isToken)
    })

  it('makes payment.expired when the lifetime of a link is over', async () => {
    const args = ['trigger', 'payment.expired', '--timeout', '5m', '--json']
    const program = startProgram(args, there)
    const id = await eventually('the link', async () => {
      const [link] = await live.db<{ id: string }>`select id from links where status = 'PENDING'`
      return link?.id
    })
    await endLifetime(live.connect({ asOwner: true }), id)
    const { code, stdout } = await program.ended
    assert.equal(code, 0)
    assert.deepEqual(JSON.parse(stdout).event.FAILURE_CODE, 'LINK_EXPIRED')
  })

  it('shows what it did and the event, as text', async () => {
    const text = await passerelle.text('trigger cashout.success --amount 700')
    assert.match(text, /^POST \/api\/v1\/transaction\/init \{.*"amount":700.*\} -> 201\n/)
    assert.match(text, /\n[\d:]{8} {2}#\d+ {2}cashout\.success +700 F CFA {2}trigger-\S+\n\{\n/)
  })

  it('lists what can be made, also without an event', async () => {
    const text = await passerelle.text('trigger --list')
    for (const { event, cause = '' } of scenarios)
      assert.match(text, new RegExp(`^${event} +${cause}`, 'm'))
    assert.equal(await passerelle.text('trigger'), text)
    assert.equal((await passerelle.json('trigger --list')).events.length, scenarios.length)
  })

  it('tells with a code of its own that an event has not come in time', async () => {
    const { code, stderr } = await passerelle.run('trigger payment.expired --timeout 1s')
    assert.equal(code, 3)
    assert.match(stderr, /payment\.expired has not come within 1 s; it may still come/)
  })

  it('refuses live keys and what there is not, and makes nothing', async () => {
    const count = async () =>
      (await live.db<{ count: number }>`select count(*) as count from transactions`)[0]?.count
    const before = await count()
    const cases: [string, RegExp][] = [
      ['cashout.success --key sk_live_abc', /This key is live, and trigger pays: use one that/],
      ['cashot.success', /Did you mean cashout\.success\?.*trigger --list/],
      ['cashout.failed --cause NO', /it has PAYER_BALANCE_LOW, PAYER_BLOCKED, PROVIDER_DECLINED/],
      ['cashout.success --url http://127.0.0.1:1', /No gateway answers at/],
      ['cashout.success --key sk_sandbox_wrong', /does not know this key/],
      ['cashout.success --amount 5', /The gateway refuses: amount must be/],
    ]
    for (const [args, says] of cases)
      assertRefusedWith(await passerelle.run(`trigger ${args}`), says)
    assert.equal(await count(), before)
  })

  it('after all of these the money is right', () => assertMoney(live))
})

function assertRefusedWith(ended: Parameters<typeof assertRefused>[0], says: RegExp): void {
  // What was done before is on standard output.
  assertRefused({ ...ended, stdout: '' }, says)
}

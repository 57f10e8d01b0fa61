import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { signedInAs } from '#test/dashboard.ts'
import { collected, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'
import { masked } from './masked.ts'

const gateway = await liveGateway({ pace: 50 })
// A server that answers with what it was sent, in its own way too.
const echo = await openReceiver(({ body }, response) => {
  response.end(`${JSON.stringify({ got: body })} BALANCE=4900`)
})
const id = await collected(gateway, { amount: 4900, callBackURL: echo.url })
await echo.has(1)
const ofTransaction = `/dashboard/transactions/${id}`
const owner = await signedInAs(gateway, 'owner')
const linkOn = async (path: string, room: string) => {
  const found = new RegExp(`/dashboard/developers/${room}/[0-9a-f-]{36}`).exec(
    (await owner.get(path)).text,
  )
  return found?.[0] ?? assert.fail(`no ${room} on ${path}`)
}
const ofEvent = await linkOn('/dashboard/developers/events', 'events')
const ofDelivery = await linkOn(ofEvent, 'webhooks')
await eventually('the delivery is recorded', async () =>
  /HTTP 200/.test((await owner.get(ofDelivery)).text),
)
const balance = /BALANCE\W{1,6}-?\d/i

describe('balances in bodies of events and answers', () => {
  for (const [role, isShown] of [
    ['owner', true],
    ['admin', true],
    ['developer', false],
    ['support', false],
  ] as const)
    it(`are ${isShown ? 'shown to' : 'hidden from'} ${role}`, async () => {
      const person = await signedInAs(gateway, role)
      for (const path of [ofTransaction, ofEvent, ofDelivery]) {
        const text = (await person.get(path)).text.replaceAll('&quot;', '"')
        assert.equal(balance.test(text), isShown, path)
        assert.match(text, /"STATUS": "SUCCESS"/, path)
      }
    })

  const texts: [text: string, shown: string][] = [
    ['{"BALANCE": 4900, "amount": 200}', '{"BALANCE": …, "amount": 200}'],
    ['"PREVIOUS_BALANCE":-5', '"PREVIOUS_BALANCE":…'],
    [
      String.raw`{"got":"{\"CURRENT_BALANCE\":4900}"}`,
      String.raw`{"got":"{\"CURRENT_BALANCE\":…}"}`,
    ],
    ['balance=4900&x=1', 'balance=…&x=1'],
    ['"balance" : "4900"', '"balance" : "…"'],
    ['"code": "PAYER_BALANCE_LOW", "amount": 5', '"code": "PAYER_BALANCE_LOW", "amount": 5'],
  ]
  for (const [text, shown] of texts)
    it(`are found in ${text}`, () => {
      const visit = { client: { id: 1, name: 'Shop' }, may: () => false }
      assert.equal(masked(visit, text, ''), shown)
      assert.equal(masked({ ...visit, client: null }, text, ''), text)
      assert.equal(masked({ ...visit, may: () => true }, text, ''), text)
    })
})

it('leaves the money sound', () => assertMoney(gateway))

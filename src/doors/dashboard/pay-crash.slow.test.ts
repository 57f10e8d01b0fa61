import assert from 'node:assert/strict'
import { it } from 'node:test'
import { clientIdOf } from '#merchants/clients/clients.ts'
import { addPerson, signIn } from '#test/dashboard.ts'
import { killableGateway } from '#test/killable-gateway.ts'
import type { LabOrder } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'

const gateway = await killableGateway()
const { db, lab, caller } = gateway

it('a payment by hand whose gateway is killed before its answer is made once', async () => {
  await gateway.start()
  const clientId = await clientIdOf(db, 'Boutique Démo')
  const person = await signIn(caller.url, await addPerson(gateway, { clientId, role: 'owner' }))
  // An amount of its own; the provider answers after the gateway's deadline.
  const amount = 4321
  const wanted = { kind: 'payout', service: 'WALLETA_SN_CASHIN', to: '770000012', step: 'review' }
  const query = new URLSearchParams({ ...wanted, amount: String(amount) }).toString()
  const { text } = await person.get(`/dashboard/pay?${query}`)
  const [, form = ''] = /method="post" action="\/dashboard\/pay">(.*?)<\/form>/s.exec(text) ?? []
  const hidden = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)]
  const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]))
  const send = () => person.post('/dashboard/pay', fields, { token: fields.token ?? '' })
  const made = () => db<{ externalId: string }>`
    select external_id as "externalId" from transactions
    where client_id = ${clientId} and amount = ${amount} and external_id like 'dash-%'`

  const lost = send().catch(() => 'lost')
  await eventually('it is recorded', async () => (await made()).length === 1)
  await gateway.kill()
  assert.equal(await lost, 'lost')
  await gateway.expireLeases()
  await gateway.start()
  // The form was begun and never noted as done: nothing is paid by it again.
  const again = await send()
  assert.equal(again.status, 409, again.visible)
  assert.match(again.visible, /This form was sent before\. Check the result/)
  // After two minutes it is certain that nobody works on it: sent again, it leads to its payment.
  await db`update form_submissions set created_at = created_at - interval '2 minutes'`
  const third = await send()
  assert.match(third.location ?? '', /^\/dashboard\/transactions\//)
  await gateway.untilAllEnded()
  assert.equal((await made()).length, 1)
  const { orders } = (await (await fetch(`${lab.url}/lab/books`)).json()) as { orders: LabOrder[] }
  const own = orders.filter((order) => order.amount === amount)
  assert.equal(
    own.reduce((sum, { executed }) => sum + executed, 0),
    1,
  )
  await assertMoney({ db, lab })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '#base/config/config.ts'
import { openPseudonyms } from '#base/sealing/pseudonym.ts'
import { approved, payoutFile, upload } from '#test/batches.ts'
import { addPerson, postReviewed, signedInOperator } from '#test/dashboard.ts'
import { newLink, untilSeen } from '#test/links.ts'
import { call, collected, contentsOf, initBody, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { chunksOf, csvOf, lineOf } from '#test/statement-maker.ts'
import { eventually } from '#test/wait.ts'
import { countOf } from './numbers.ts'
import { rulesWith } from './rules.ts'
import { traceTables } from './trace.ts'

const gateway = await liveGateway({ pace: 50, environment: { APPROVAL_ABOVE: 'off' } })
const { db, clientId, links, batches, recon, numbers, approvals } = gateway
const { secretKey } = readConfig({ MODE: 'sandbox' })
const pseudonymOf = openPseudonyms(secretKey)
const init = 'POST /api/v1/transaction/init'
// A number that nobody else here has: no test looks for one in the texts of another.
const phone = '776543201'
const pseudonym = pseudonymOf(phone)
const asked = { number: phone, country: 'SN' }
const stranger = '776543209'
const echo = await openReceiver((got, response) => response.end(`thanks for ${got.body}`))
const hook = { callBackURL: echo.url }
const why = { reason: `letter of 3 May, from +221 77 654 32 01` }

const awa = await addPerson(gateway, { email: 'awa@ops.example', operatorRole: 'operator' })
const binta = await addPerson(gateway, { email: 'binta@ops.example', operatorRole: 'operator' })
const newcomer = await addPerson(gateway, { email: 'new@ops.example', operatorRole: 'operator' })
const asker = { person: awa, actor: awa }
await gateway.connect({ asOwner: true })`
  update people set approver_since = now(), approver_by = 'x@ops.example'
  where email = ${newcomer}`

/** The tables that have a text in a row, but for those that forget tries in minutes. */
async function tablesWith(text: string): Promise<string[]> {
  const contents = await contentsOf(db)
  const has = (row: string) => row.includes(text) || row.replaceAll('\u00a0', '').includes(text)
  return Object.keys(contents).filter(
    (name) => name !== 'number_attempts' && contents[name]?.some(has),
  )
}

const audited = (action: string) => db<{ actor: string; details: Record<string, unknown> }>`
  select actor, details from audit_log where action = ${action} order by id`

const nothingOpen = () =>
  eventually('nothing is open', async () => countOf(await numbers.find(asked), 'open') === 0)

async function proposed(): Promise<string> {
  const requested = await numbers.forget({ ...asked, ...why }, asker)
  if (requested.kind !== 'proposed') assert.fail('one person is not enough')
  return requested.approval.id
}

/** What the payer took part in: one of everything that has a number. */
await db`update clients set email = 'shop@example.com' where id = ${clientId}`
// What the gateway knows of a client may be half a second old.
await eventually('a link with a mail', async () => {
  await newLink(gateway)
  return (await db`select from mails where client_id = ${clientId}`).length > 0
})
const paid = await collected(gateway, { number: phone, ...hook })
const link = await newLink(gateway, {
  ClientPhone: `+221 ${phone.slice(0, 2)} ${phone.slice(2)}`,
  ClientName: 'Awa Ndiaye',
  Email: 'awa@example.com',
  ...hook,
})
await links.checkout.pay(link, { serviceCode: 'WALLETA_SN_CASHOUT', phone })
await untilSeen(gateway, link, 'paid')
// Somebody else's, which this number paid.
const others = await newLink(gateway, {
  ClientPhone: stranger,
  ClientName: 'Moussa Fall',
  ...hook,
})
await links.checkout.pay(others, { serviceCode: 'WALLETA_SN_CASHOUT', phone })
await untilSeen(gateway, others, 'paid')
const batch = await approved(gateway, clientId, [
  `${phone};1000;WALLETA_SN_CASHIN;Awa Ndiaye`,
  `${stranger};1000;WALLETA_SN_CASHIN;Moussa Fall`,
])
const faulty = await upload(
  gateway,
  clientId,
  payoutFile([
    `${phone};0;WALLETA_SN_CASHIN;Awa Ndiaye`,
    `${stranger};0;WALLETA_SN_CASHIN;Moussa Fall`,
  ]),
)
await batches.cancel({ clientId, id: faulty.id, actor: 'awa' })
await eventually('the batch is over', async () => {
  const [one] = await db<{ state: string }>`select state from batches where id = ${batch.id}`
  return one?.state === 'finished'
})
const line = await lineOf(db, paid)
const statement = await recon.import({
  provider: 'WALLETA',
  country: 'SN',
  name: 'a.csv',
  file: chunksOf(
    csvOf([
      line,
      { ...line, our_reference: '', reference: 'theirs', number: `+221${phone}` },
      { ...line, our_reference: '', reference: 'other', number: stranger },
    ]),
  ),
  actor: 'test',
})
const cases = await recon.cases({ statementId: statement.id }, { limit: 9 })
await db`insert into blocked_numbers (phone, reason, actor, blocked_at)
  values (${`SN${phone}`}, 'fraud', 'x', now())`
const open = await call(gateway, init, {
  ...initBody({ number: phone, serviceCode: 'WALLETD_SN_CASHOUT', ...hook }),
})

describe('what a number took part in', () => {
  it('is looked for in what every rule of retention is about', () => {
    const without = rulesWith(secretKey).filter(({ find }) => find === null)
    // Texts of providers have numbers masked.
    assert.deepEqual(
      without.map(({ name }) => name),
      ['evidence', 'secrets'],
    )
  })

  it('is every row that has it, of the number in any form', async () => {
    const all = await tablesWith(phone)
    for (const number of [asked, { number: `+221 77 654 32 01` }, { number: `00221${phone}` }]) {
      const { traces } = await numbers.find(number)
      const found = new Set<string>(traces.map(({ table }) => table))
      assert.deepEqual([...found].toSorted(), [...traceTables].toSorted())
      for (const table of all) assert.ok(found.has(table), table)
    }
    const { traces } = await numbers.find(asked)
    const of = (table: string) => traces.filter((one) => one.table === table)
    const ids = of('transactions').map(({ id }) => id)
    assert.ok(ids.includes(paid) && ids.length === 5, String(ids.length))
    assert.deepEqual([of('links').length, of('batch_lines').length], [2, 2])
    assert.deepEqual([of('statement_lines').length, of('recon_cases').length], [2, 1])
    assert.equal(of('transactions').filter(({ state }) => state === 'open').length, 1)
    assert.equal((await numbers.find({ number: '776543777', country: 'SN' })).traces.length, 0)
    await assert.rejects(numbers.find({ number: '12' }), /none of the countries/)
  })

  it('is a file for whoever may, and recorded without the number', async () => {
    const auditor = await signedInOperator(gateway, 'auditor')
    const page = await auditor.get(`/dashboard/ops/retention/number?number=%2B221${phone}`)
    assert.match(page.visible, /What is stored .*Transaction 4 1 0 0 .*Block 0 0 0 1/)
    assert.doesNotMatch(page.visible, /Propose/)
    const file = await auditor.get(`/dashboard/ops/retention/export.csv?number=%2B221${phone}`)
    for (const text of [paid, link, others, `${batch.id} `, `${statement.id} `, 'Block'])
      assert.ok(file.text.includes(text), text)
    const [record, ...more] = await audited('number.export')
    assert.deepEqual([record?.actor, more], [auditor.email, []])
    assert.equal(record?.details.pseudonym, pseudonym)
    const support = await signedInOperator(gateway, 'support-operator')
    assert.equal((await support.get('/dashboard/ops/retention/number')).status, 403)
    assert.deepEqual(await tablesWith(`${phone}"`).then((all) => all.includes('audit_log')), false)
  })
})

describe('a number that is forgotten', () => {
  it('waits for what is open, and says how much that is', async () => {
    const before = countOf(await numbers.find(asked), 'open')
    assert.ok(before >= 3, String(before))
    await assert.rejects(numbers.forget({ ...asked, ...why }, asker), /still open/)
    assert.deepEqual(await approvals.list({ limit: 9 }), [])
    const { transactionId } = open.body.transaction
    const order = { clientId, id: transactionId, as: 'failed' as const, reason: 'seen' }
    await gateway.transactions.resolve({ ...order, actor: 'test' })
    for (const { id } of cases)
      await recon.mend(id, { how: 'ignore', reason: 'not ours' }, asker).catch(() => {})
    await nothingOpen()
  })

  it('takes two people, and its proposal has neither the number nor a way back to it', async () => {
    await assert.rejects(numbers.forget({ ...asked, reason: ' ' }, asker), /reason is needed/)
    const id = await proposed()
    const proposal = JSON.stringify(await db`select * from approvals where id = ${id}`)
    assert.ok(proposal.includes(pseudonym) && proposal.includes('letter of 3 May'))
    for (const text of [phone, '77 654 32 01']) assert.ok(!proposal.includes(text), text)
    const mails = await db<{ subject: string; body: string }>`
      select subject, text_body as body from mails where record_id = ${id} order by id`
    assert.ok(mails.length > 0)
    for (const { subject, body } of mails) {
      assert.match(subject, /^(To approve: Forget a number|À approuver.: Oublier un numéro)$/)
      assert.doesNotMatch(body, /Amount|Montant|CFA|—/)
    }
    const refusals: [string, RegExp][] = [
      [awa, /Another person must approve/],
      [newcomer, /You may approve 3 days after/],
    ]
    for (const [person, refusal] of refusals)
      await assert.rejects(approvals.approve({ id, person }), refusal)
    assert.ok((await tablesWith(phone)).length > 5)
    await approvals.approve({ id, person: binta })
    // A block needs the number: it keeps it from paying.
    for (const text of [phone, '77 654 32 01', 'Awa Ndiaye', 'awa@example.com'])
      assert.deepEqual(await tablesWith(text), text === phone ? ['blocked_numbers'] : [], text)
    const [record, ...more] = await audited('number.forget')
    assert.deepEqual([record?.actor, record?.details.pseudonym, more], [binta, pseudonym, []])
    await assertMoney(gateway)
  })

  it('leaves those of others as they are', async () => {
    const [one] = await db<{ phone: string; name: string }>`
      select customer_phone as phone, customer_name as name from links where id = ${others}`
    assert.deepEqual(one, { phone: stranger, name: 'Moussa Fall' })
    const lines = await db<{ phone: string }>`
      select phone from batch_lines where batch_id in (${batch.id}, ${faulty.id})
      order by phone`
    const both = [stranger, stranger, pseudonym, pseudonym]
    assert.deepEqual(lines.map((each) => each.phone).toSorted(), both.toSorted())
  })

  it('cannot be refunded, is found no more, and shown by its pseudonym', async () => {
    const refund = await call(gateway, `POST /api/v1/transaction/refund/${paid}`, {})
    assert.deepEqual([refund.status, refund.body.code], [400, 'REFUND_NOT_ALLOWED'])
    assert.match(refund.body.message[0], /number has been erased/)
    await assert.rejects(numbers.forget({ ...asked, ...why }, asker), /Nothing can be forgotten/)
    const found = await numbers.find(asked)
    assert.deepEqual([countOf(found, 'plain'), countOf(found, 'kept')], [0, 1])
    assert.ok(countOf(found, 'forgotten') > 5)
  })

  it('is a new one when it pays again, and is proposed and approved on pages', async () => {
    await db`delete from blocked_numbers`
    const again = await collected(gateway, { number: phone, ...hook })
    await until(gateway, again, isEnd)
    await nothingOpen()
    const found = await numbers.find(asked)
    assert.ok(found.traces.some(({ id, state }) => id === again && state === 'plain'))
    const operator = await signedInOperator(gateway)
    const page = '/dashboard/ops/retention'
    const form = `${page}/number?number=${phone}&country=SN`
    const fields = { number: phone, country: 'SN', ...why }
    const sent = await postReviewed(operator, `${page}/forget`, fields, form)
    const approval = sent.headers.get('location') ?? ''
    assert.match(approval, /approvals\/[0-9a-f-]{36}$/)
    const shown = (await operator.get(approval)).visible
    assert.match(shown, /Forget a number .*anon-[a-p]{16} .*Records \d+ .*no money moves/)
    const other = await signedInOperator(gateway)
    const done = await postReviewed(other, `${approval}/decide`, { verb: 'approve' }, approval)
    assert.equal(done.headers.get('location'), approval)
    assert.match((await other.get(form)).visible, /Transaction 0 0 6 0/)
    assert.deepEqual(await tablesWith(phone), [])
    await assertMoney(gateway)
  })
})

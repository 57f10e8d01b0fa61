import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '#base/config/config.ts'
import type { RetentionSettings } from '#base/config/retention.ts'
import { after, systemClock } from '#base/kit/clock.ts'
import { omit } from '#base/kit/objects.ts'
import { openLog } from '#base/log/log.ts'
import { openPseudonyms } from '#base/sealing/pseudonym.ts'
import type { Db } from '#data/db/db.ts'
import { approved, payoutFile, upload } from '#test/batches.ts'
import { pay, topUpBody } from '#test/bills.ts'
import { signedInAs, signedInOperator } from '#test/dashboard.ts'
import { newLink, untilSeen } from '#test/links.ts'
import {
  call,
  collected,
  contentsOf,
  continuePayer,
  initBody,
  isEnd,
  liveGateway,
  paidWhenContinued,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { chunksOf, csvOf, lineOf, type MadeLine } from '#test/statement-maker.ts'
import { inSuspense } from '#test/suspense.ts'
import { eventually } from '#test/wait.ts'
import { evidenceWalk } from './events.ts'
import { openRetention } from './open.ts'
import { runRule } from './round.ts'
import type { Rule } from './rule.ts'
import { rulesWith } from './rules.ts'

const gateway = await liveGateway({ pace: 50 })
const { db, clientId, transactions, links, batches, connect } = gateway
const owner = connect({ asOwner: true })
const { secretKey } = readConfig({ MODE: 'sandbox' })
const pseudonymOf = openPseudonyms(secretKey)
const init = 'POST /api/v1/transaction/init'
const dayMs = 86_400_000
const log = openLog('silent')
const never: RetentionSettings = {
  evidenceDays: null,
  numberDays: null,
}

/** Retention so many days from now, with these settings. */
function later(days: number, settings: Partial<RetentionSettings>, own: Db = db) {
  const clock = { now: () => after(systemClock.now(), days * dayMs) }
  return { db: own, clock, log, settings: { ...never, ...settings } }
}

function forget(days: number, settings: Partial<RetentionSettings>, own: Db = db) {
  const retention = openRetention({ ...later(days, settings, own), secretKey })
  return retention.run({ isEarly: true, stepSize: 3 })
}

const ruleOf = (name: string) => rulesWith(secretKey).find((one) => one.name === name) as Rule

/** Which tables have a text in a row of theirs. */
async function tablesWith(text: string): Promise<string[]> {
  const contents = await contentsOf(db)
  // Mails have numbers in groups, as people write them.
  const has = (row: string) => row.includes(text) || row.replaceAll('\u00a0', '').includes(text)
  return Object.keys(contents).filter((name) => contents[name]?.some(has))
}

const evidenceOf = (id: string) =>
  db<{ outcome: string; details: Record<string, unknown>; dedupeKey: string | null }>`
    select outcome, details, dedupe_key as "dedupeKey" from evidence
    where transaction_id = ${id} order by id`

const answersOf = async (id: string) =>
  (
    await db<{ excerpt: string }>`
      select a.excerpt from events e join deliveries d on d.event_id = e.id
      join delivery_attempts a on a.delivery_id = d.id
      where e.record_id = ${id}`
  ).map(({ excerpt }) => excerpt)

let numbers = 775_550_000
const newNumber = () => String((numbers += 1))
const echo = await openReceiver((got, response) => response.end(`thanks for ${got.body}`))
const quiet = await openReceiver()
const hook = { callBackURL: quiet.url }
const owners = await signedInAs(gateway, 'owner')

/** A collection that an operator failed before its payer paid: its money is in suspense. */
async function latePayment(): Promise<{ id: string; number: string }> {
  const number = newNumber()
  await script(gateway, number, paidWhenContinued)
  const { body } = await call(gateway, init, initBody({ number, ...hook }))
  const id = String(body.transaction.transactionId)
  await transactions.resolve({ clientId, id, as: 'failed', reason: 'seen', actor: 'test' })
  await continuePayer(gateway, number)
  await inSuspense(db, gateway, 5000)
  return { id, number }
}

/** A collection whose payer has not sent the code. */
async function openCollection(number: string): Promise<string> {
  const order = initBody({ number, serviceCode: 'WALLETD_SN_CASHOUT', ...hook })
  const { body } = await call(gateway, init, order)
  return String(body.transaction.transactionId)
}

const paidNumber = newNumber()
const paid = await collected(gateway, { number: paidNumber, callBackURL: echo.url })
await eventually('it was delivered', async () => (await answersOf(paid)).length === 1)
const openNumber = newNumber()
const open = await openCollection(openNumber)
const late = await latePayment()

describe('what providers sent', () => {
  it('goes after its time, and what decided stays', async () => {
    const before = await evidenceOf(paid)
    assert.ok(before.some(({ details }) => typeof details.excerpt === 'string'))
    await forget(29, { evidenceDays: 30 })
    assert.deepEqual(await evidenceOf(paid), before)
    await forget(31, { evidenceDays: 30 })
    const without = before.map((one) => ({ ...one, details: omit(one.details, ['excerpt']) }))
    assert.deepEqual(await evidenceOf(paid), without)
    await assertMoney(gateway)
  })

  it('stays of what has not ended, and of what an operator has to settle', async () => {
    for (const id of [open, late.id])
      assert.ok(
        (await evidenceOf(id)).some(({ details }) => 'excerpt' in details),
        id,
      )
  })

  it('goes once it is settled', async () => {
    const refund = await transactions.sendBack({ clientId, id: late.id, reason: 'x', actor: 't' })
    await until(gateway, refund.id, isEnd)
    await forget(31, { evidenceDays: 30 })
    assert.ok((await evidenceOf(late.id)).every(({ details }) => !('excerpt' in details)))
    const [conflict] = await db<{ details: { evidence?: object; amount: number } }>`
      select details from conflicts where transaction_id = ${late.id}`
    assert.ok(conflict !== undefined && !('excerpt' in (conflict.details.evidence ?? {})))
    assert.ok('amount' in conflict.details)
    await assertMoney(gateway)
  })

  it('can lose nothing else, whoever tries', async () => {
    for (const change of [
      () => owner`update evidence set outcome = 'declined' where transaction_id = ${paid}`,
      () => owner`update evidence set details = details - 'reference'
        where transaction_id = ${paid} and details ? 'reference'`,
      () => owner`delete from evidence where transaction_id = ${paid}`,
      () => owner`update events set body = replace(body, 'SUCCESS', 'FAILED')
        where record_id = ${paid}`,
      () => owner`update events set key_id = id where record_id = ${paid}`,
      () => owner`update delivery_attempts set http_status = 500`,
      () => owner`update delivery_attempts set excerpt = 'something else'`,
    ])
      await assert.rejects(change(), /can only lose|append-only/)
    await assert.rejects(db`update evidence set outcome = 'declined'`, /permission denied/)
  })
})

describe('what receivers answered, and mails', () => {
  it('goes after its time; a delivery that is not over keeps its answers', async () => {
    const hard = await openReceiver((_got, response) => {
      response.statusCode = 500
      response.end('not now')
    })
    const pending = await collected(gateway, { number: newNumber(), callBackURL: hard.url })
    await eventually('it was tried', async () => (await answersOf(pending)).length > 0)
    assert.match((await answersOf(paid))[0] ?? '', /thanks for/)
    await forget(89, {})
    assert.match((await answersOf(paid))[0] ?? '', /thanks for/)
    await forget(91, {})
    assert.deepEqual(await answersOf(paid), [''])
    assert.match((await answersOf(pending))[0] ?? '', /not now/)
    // Sent again, the event is what it was.
    const [event] = await db<{ id: string }>`select id from events where record_id = ${paid}`
    await call(gateway, `POST /api/v1/events/${event?.id}/replay`)
    const got = (await echo.has(2)).map(({ body }) => body)
    assert.equal(got[1], got[0])
    await owner`update deliveries set state = 'exhausted', due_at = null, ended_at = now()
      where state = 'pending'`
    await forget(91, {})
    assert.ok((await answersOf(pending)).every((one) => one === ''))
  })

  it('deletes mails, blocks that have ended and secrets that have expired', async () => {
    await db`update clients set email = 'shop@example.com' where id = ${clientId}`
    const count = async () => (await db`select from mails where client_id = ${clientId}`).length
    // What the gateway knows of a client may be half a second old.
    await eventually('a link with a mail', async () => {
      await newLink(gateway)
      return (await count()) > 0
    })
    assert.equal(await count(), 1)
    const [soon, late] = [after(systemClock.now(), dayMs), after(systemClock.now(), 80 * dayMs)]
    for (const [phone, end] of [
      ['SN770001111', soon],
      ['SN770002222', late],
    ] as const)
      await db`insert into blocked_numbers (phone, reason, actor, blocked_at, expires_at)
        values (${phone}, 'x', 'x', now(), ${end})`
    await forget(89, {})
    assert.equal(await count(), 1)
    await forget(92, {})
    assert.equal(await count(), 0)
    assert.deepEqual(await db`select phone from blocked_numbers`, [{ phone: 'SN770002222' }])
  })
})

describe('numbers of payers', () => {
  it('become pseudonyms everywhere, once nobody needs them', async () => {
    const payout = await call(gateway, init, {
      ...initBody({ number: paidNumber, serviceCode: 'WALLETA_SN_CASHIN', ...hook }),
    })
    await until(gateway, payout.body.transaction.transactionId, isEnd)
    const bill = await pay(gateway, topUpBody({ reference_client: '200000001' }))
    assert.equal(bill.status, 201)
    const link = await newLink(gateway, {
      ClientPhone: `+221 ${paidNumber.slice(0, 2)} ${paidNumber.slice(2)}`,
      ClientName: 'Awa Ndiaye',
      ...hook,
      Email: 'awa@example.com',
    })
    const service = { serviceCode: 'WALLETA_SN_CASHOUT', phone: paidNumber }
    await links.checkout.pay(link, service)
    await untilSeen(gateway, link, 'paid')
    // Nobody has paid this one: only its customer is known.
    const unpaid = await newLink(gateway, { ClientPhone: paidNumber, ItemName: 'Mangues', ...hook })
    await links.withdraw({ clientId, id: unpaid })
    const batch = await approved(gateway, clientId, [
      `${paidNumber};1000;WALLETA_SN_CASHIN;Awa Ndiaye`,
      `770000001;1000;WALLETA_SN_CASHIN;Moussa Fall`,
    ])
    const faulty = await upload(
      gateway,
      clientId,
      payoutFile([`${paidNumber};0;WALLETA_SN_CASHIN;Awa Ndiaye`]),
    )
    await batches.cancel({ clientId, id: faulty.id, actor: 'awa' })
    await eventually('the batch is over', async () => {
      const [one] = await db<{ state: string }>`select state from batches where id = ${batch.id}`
      return one?.state === 'finished'
    })
    const all = ['batch_lines', 'events', 'links', 'mails', 'transactions']
    assert.deepEqual(await tablesWith(paidNumber.slice(2)), all)
    await forget(99, { numberDays: 100 })
    assert.ok((await tablesWith('Awa Ndiaye')).length > 0)
    // Mails, and the answers to webhooks that repeat them, have a time of their own.
    await forget(101, { numberDays: 100 })
    for (const text of [paidNumber.slice(2), 'Awa Ndiaye', 'awa@example.com', 'Moussa Fall'])
      assert.deepEqual(await tablesWith(text), [], text)
    // The claim on a bill keeps it from being paid twice; a top-up has none.
    assert.deepEqual(await tablesWith('"200000001"'), [])
    assert.deepEqual((await tablesWith(openNumber)).sort(), ['transactions'])
    await assertMoney(gateway)
    const again = await forget(101, { numberDays: 100 })
    assert.deepEqual(again.get('numbers'), { kind: 'done', forgotten: 0 })
  })

  it('are found by the whole number, in every list', async () => {
    const listed = await call(gateway, `GET /api/v1/transaction?number=${paidNumber}&limit=100`)
    const shown = pseudonymOf(paidNumber)
    // Lines of batches have no key.
    assert.equal(listed.body.transactions.length, 3)
    for (const one of listed.body.transactions) assert.equal(one.Number, shown)
    const linked = await call(gateway, `GET /api/v1/transaction/merchant?number=${paidNumber}`)
    assert.equal(linked.body.links.length, 2)
    for (const text of [paidNumber, `+221${paidNumber}`, shown])
      assert.equal((await transactions.search(clientId, text)).length, 4, text)
    assert.equal((await transactions.ofAllClients.search(paidNumber)).length, 4)
    const page = await owners.get(`/dashboard/transactions?number=${paidNumber}`)
    assert.ok(page.visible.includes(shown))
    const searched = await owners.get(`/dashboard/links?search=${paidNumber}`)
    assert.match(searched.visible, /Mangues.* Panier de légumes/)
    const support = await signedInAs(gateway, 'support')
    const detail = await support.get(`/dashboard/transactions/${paid}`)
    assert.ok(detail.visible.includes(shown))
    const file = await owners.get(`/dashboard/transactions/export.csv?number=${paidNumber}`)
    assert.equal(file.text.split(shown).length - 1, 4)
    const { body } = await call(gateway, 'GET /api/v1/events?limit=1000')
    const event = body.events.find(({ event: one }: { event: { id: string } }) => one.id === paid)
    assert.deepEqual([event.event.PHONE_NUMBER, event.event.STATUS], [shown, 'SUCCESS'])
  })

  it('are not paid to any more: refunds and lines of batches are refused', async () => {
    const refund = await call(gateway, `POST /api/v1/transaction/refund/${paid}`, {})
    assert.deepEqual([refund.status, refund.body.code], [400, 'REFUND_NOT_ALLOWED'])
    assert.match(refund.body.message[0], /number has been erased/)
    const page = await owners.get(`/dashboard/transactions/${paid}/refund`)
    assert.match(page.visible, /has been erased/)
    const [batch] = await db<{ id: string }>`select id from batches where state = 'finished'`
    const retried = batches.retryFailed({ clientId, id: batch?.id ?? '', actor: 'awa' })
    await assert.rejects(retried, /have been erased/)
    const order = { ...initBody(), number: pseudonymOf(paidNumber) }
    assert.equal((await call(gateway, init, order)).status, 400)
    await assertMoney(gateway)
  })

  it('stay while an event is to be delivered or a conflict is open', async () => {
    const merchant = { ...gateway, ...(await gateway.newMerchant()) }
    const [one, other] = [newNumber(), newNumber()]
    const hooked = await collected(merchant, { number: one, ...hook })
    const settled = await collected(merchant, { number: other, ...hook })
    // A try that is on its way would be written down afterwards.
    for (const id of [hooked, settled])
      await eventually('it was delivered', async () => (await answersOf(id)).length > 0)
    await owner`update deliveries set due_at = now() + interval '1 day', state = 'pending'
      where event_id = (select id from events where record_id = ${hooked})`
    await owner`insert into conflicts (client_id, id, transaction_id, kind, details, at)
      values (${merchant.clientId}, gen_random_uuid(), ${settled}, 'contradiction', '{}', now())`
    await forget(101, { numberDays: 100 })
    for (const number of [one, other]) assert.ok((await tablesWith(number)).length > 0)
    const shown = await openRetention({ ...later(101, { numberDays: 100 }), secretKey }).show()
    assert.equal(shown.find(({ name }) => name === 'numbers')?.left, 2)
    await owner`update deliveries set due_at = null, state = 'exhausted' where due_at is not null`
    await owner`update conflicts set closed_at = now(), closed_by = 'x', closing_reason = 'x'
      where closed_at is null`
    await forget(101, { numberDays: 100 })
    for (const number of [one, other]) assert.deepEqual(await tablesWith(number), [])
    await assertMoney(gateway)
  })
})

describe('numbers in statements of providers', () => {
  const party = { provider: 'WALLETG', country: 'CI' }
  const importLines = (lines: MadeLine[]) =>
    gateway.recon.import({ ...party, name: 'a.csv', file: chunksOf(csvOf(lines)), actor: 'test' })
  const numberDays = { numberDays: 90 }

  it('become pseudonyms once differences are closed; lines stay known', async () => {
    const [known, unnamed, stranger] = [newNumber(), newNumber(), newNumber()]
    const id = await collected(gateway, {
      number: known,
      serviceCode: 'WALLETG_CI_CASHOUT',
      ...hook,
    })
    const line = await lineOf(db, id)
    const bare = { ...line, our_reference: '', reference: '', amount: 30, fee: 0 }
    const lines = [
      line,
      { ...bare, kind: 'fee', number: `+225 0${unnamed}` },
      { ...bare, number: stranger, reference: 'of-a-stranger' },
    ]
    await eventually('it was delivered', async () => (await answersOf(id)).length === 1)
    const first = await importLines(lines)
    assert.deepEqual([first.matched, first.theirsOnly, first.cases], [2, 1, 1])
    const balance = await gateway.recon.balance(first)
    await forget(80, numberDays)
    assert.deepEqual(await tablesWith(stranger), ['recon_cases', 'statement_lines'])
    await forget(100, numberDays)
    assert.deepEqual(await tablesWith(unnamed), [])
    assert.deepEqual(await tablesWith(known), [])
    assert.deepEqual(await tablesWith(stranger), ['recon_cases', 'statement_lines'])
    const [one] = await gateway.recon.cases({ statementId: first.id }, { limit: 1 })
    const asker = { person: 'test', actor: 'test' }
    await gateway.recon.mend(one?.id ?? '', { how: 'ignore', reason: 'not ours' }, asker)
    await forget(101, numberDays)
    assert.deepEqual(await tablesWith(stranger), [])
    for (const number of [known, unnamed, stranger])
      assert.equal((await gateway.recon.lines(first.id, { text: number, limit: 5 })).length, 1)
    assert.deepEqual(await importLines(lines), first)
    assert.deepEqual(await gateway.recon.balance(first), balance)
    const second = await importLines([...lines, { ...bare, kind: 'fee', number: newNumber() }])
    assert.deepEqual([second.known, second.matched, second.fees, second.cases], [3, 1, 30, 0])
  })
})

describe('a round', () => {
  const settings = { evidenceDays: 30 }
  const rule = ruleOf('evidence')
  const excerpts = async () =>
    (await db`select from evidence where details ? 'excerpt' and client_id = ${merchantId}`).length
  let merchantId = 0

  it('that was cut off is continued where it was, by another process', async () => {
    const merchant = { ...gateway, ...(await gateway.newMerchant()) }
    merchantId = merchant.clientId
    for (let made = 0; made < 6; made += 1)
      await collected(merchant, { number: newNumber(), ...hook })
    const all = await excerpts()
    const stopping = new AbortController()
    let steps = 0
    const cut: Rule = {
      ...rule,
      work: {
        ...evidenceWalk,
        next: async (tx, part) => {
          if (part.clientId === merchantId) steps += 1
          if (steps === 2) throw new Error('the connection is lost')
          return evidenceWalk.next(tx, part)
        },
      },
    }
    const options = { isEarly: true, stepSize: 2, signal: stopping.signal }
    await assert.rejects(runRule(later(40, settings), cut, options), /connection is lost/)
    const left = await excerpts()
    assert.ok(left > 0 && left < all, `${left} of ${all}`)
    const [cursor] = await db<{ reached: string }>`
      select reached from retention_cursors where rule = 'evidence' and client_id = ${merchantId}`
    assert.equal(cursor?.reached, '2')
    await runRule(later(40, settings), rule, { isEarly: true })
    assert.equal(await excerpts(), 0)
  })

  it('is run by one of two processes, and a dry one changes nothing', async () => {
    const merchant = { ...gateway, ...(await gateway.newMerchant()) }
    merchantId = merchant.clientId
    await collected(merchant, { number: newNumber(), ...hook })
    const all = await excerpts()
    const stored = async () => [
      await excerpts(),
      await db`select * from retention_rules order by rule`,
      await db`select * from retention_cursors order by rule, client_id`,
    ]
    const before = await stored()
    const dry = await runRule(later(50, settings), rule, { isDry: true })
    assert.deepEqual(dry, { kind: 'done', forgotten: all })
    assert.deepEqual(await stored(), before)
    // The one that has the lease waits for the other; if both had it, for none.
    const isTried = Promise.withResolvers<void>()
    let atWork = 0
    const held: Rule = {
      ...rule,
      work: {
        ...evidenceWalk,
        forget: async (...order) => {
          atWork += 1
          if (atWork === 2) isTried.resolve()
          await isTried.promise
          return evidenceWalk.forget(...order)
        },
      },
    }
    const rounds = [db, connect()].map((own) =>
      runRule(later(50, settings, own), held, { isEarly: true }),
    )
    await Promise.race([isTried.promise, ...rounds])
    isTried.resolve()
    const both = await Promise.all(rounds)
    assert.deepEqual(both.map(({ kind }) => kind).sort(), ['busy', 'done'])
    assert.equal(await excerpts(), 0)
  })

  it('commits nothing after its lease was taken over', async () => {
    const merchant = { ...gateway, ...(await gateway.newMerchant()) }
    merchantId = merchant.clientId
    await collected(merchant, { number: newNumber(), ...hook })
    const all = await excerpts()
    const stolen: Rule = {
      ...rule,
      work: {
        ...evidenceWalk,
        forget: async (tx, ...rest) => {
          await owner`update retention_rules set lease = gen_random_uuid() where rule = 'evidence'`
          return evidenceWalk.forget(tx, ...rest)
        },
      },
    }
    const result = await runRule(later(60, settings), stolen, { isEarly: true })
    assert.deepEqual(result, { kind: 'stopped', forgotten: 0 })
    assert.equal(await excerpts(), all)
  })
})

describe('the page of retention', () => {
  it('shows operators what is kept how long, and nobody else', async () => {
    const operator = await signedInOperator(gateway, 'auditor')
    const { visible } = await operator.get('/dashboard/ops/retention')
    assert.match(visible, /Provider texts .* 400 days EVIDENCE_DAYS/)
    assert.match(visible, /Payers’ numbers, replaced.* never PSEUDONYMISE_AFTER_DAYS/)
    assert.equal((await owners.get('/dashboard/ops/retention')).status, 404)
  })
})

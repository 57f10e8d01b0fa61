import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { readConfig } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { pick } from '#base/kit/objects.ts'
import { openLog } from '#base/log/log.ts'
import { closeAuditChain } from '#data/db/audit-chain.ts'
import { startMailSweeper } from '#merchants/mail/queue.ts'
import { openSmtp } from '#merchants/mail/smtp.ts'
import type { OperatorRole } from '#merchants/people/rights.ts'
import { findApprovalBreaks } from '#operations/verify/approvals-store.ts'
import { pay, topUpBody } from '#test/bills.ts'
import { addPerson } from '#test/dashboard.ts'
import { holdLong, untilBlocked } from '#test/database.ts'
import { balances } from '#test/ledger.ts'
import {
  call,
  contentsOf,
  continuePayer,
  initBody,
  isEnd,
  liveGateway,
  paidWhenContinued,
  script,
  until,
} from '#test/live.ts'
import { openMailServer } from '#test/mail-server.ts'
import { assertMoney } from '#test/money.ts'
import { usualTest as it, sized } from '#test/size.ts'
import { statement } from '#test/statement.ts'
import { eventually } from '#test/wait.ts'
import type { Approval, Order } from './approval.ts'
import { type Approvals, openApprovals } from './open.ts'

const mails = await openMailServer()
const environment = { APPROVAL_ABOVE: '1000', SMTP_URL: mails.url }
const gateway = await liveGateway({ pace: 20, environment })
const { db, connect, transactions, approvals, newMerchant } = gateway
const owner = connect({ asOwner: true })
const other = (await gateway.newProcess()).approvals
const awa = { person: 'awa@ops.example', actor: 'awa@ops.example' }
const binta = 'binta@ops.example'
const ismael = 'ismael@ops.example'
await addPerson(gateway, { email: awa.person.toUpperCase(), operatorRole: 'operator' })
for (const email of [binta, ismael]) await addPerson(gateway, { email, operatorRole: 'operator' })
let refs = 0

const fundOrder = (clientId: number, amount = 5000): Order => {
  refs += 1
  return { kind: 'fund', clientId, amount, ref: `bank ${refs}` }
}

async function proposed(order: Order, from: Approvals = approvals): Promise<Approval> {
  const requested = await from.request(order, awa)
  assert.equal(requested.kind, 'proposed')
  return (requested as { approval: Approval }).approval
}

const stateOf = async (id: string) => (await approvals.get(id)).state
const availableOf = async (clientId: number) => (await balances(db, clientId))[0]

/** A payment that no evidence ends, of 5,000 francs. */
async function stuckPayment(merchant: { clientId: number; secret: string }): Promise<string> {
  refs += 1
  const number = String(779_000_000 + refs)
  await script(gateway, number, [])
  const answer = await call(
    { ...gateway, ...merchant },
    'POST /api/v1/transaction/init',
    initBody({ number, externalTransactionId: `stuck ${refs}` }),
  )
  return answer.body.transaction.transactionId
}

describe('what moves money by hand', () => {
  it('needs one person up to the amount, and two above it', async () => {
    const { clientId } = await newMerchant(0)
    const small = await approvals.request(fundOrder(clientId, 1000), awa)
    assert.deepEqual(small.kind === 'done' && small.done, {
      kind: 'fund',
      clientId,
      amount: 1000,
      available: 1000,
    })
    const large = fundOrder(clientId, 1001)
    const { id, seen, state } = await proposed(large)
    assert.deepEqual(
      [seen, state, await availableOf(clientId)],
      [{ available: 1000 }, 'open', 1000],
    )
    const { approval, done } = await approvals.approve({ id, person: binta })
    assert.deepEqual(
      [approval.state, approval.decidedBy, 'available' in done && done.available],
      ['approved', binta, 2001],
    )
    assert.equal(await availableOf(clientId), 2001)
  })

  it('is never approved by who proposed it, whatever the case of the address', async () => {
    const { clientId } = await newMerchant(0)
    const { id } = await proposed(fundOrder(clientId))
    for (const person of [awa.person, awa.person.toUpperCase()])
      await assert.rejects(approvals.approve({ id, person }), /Another person must approve/)
    await assert.rejects(
      owner`update approvals set state = 'approved', decided_by = ${awa.person.toUpperCase()},
        decided_at = now(), outcome = '{}' where id = ${id}`,
      /violates check constraint/,
    )
    assert.deepEqual([await stateOf(id), await availableOf(clientId)], ['open', 0])
  })

  it('is refused with a reason, and then not approved', async () => {
    const { clientId } = await newMerchant(0)
    const { id } = await proposed(fundOrder(clientId))
    await assert.rejects(async () => approvals.refuse({ id, person: binta, reason: ' ' }), {
      message: 'A refusal needs a reason',
    })
    const refused = await approvals.refuse({ id, person: binta, reason: 'not at\nthe bank' })
    assert.deepEqual([refused.state, refused.reason], ['refused', 'not at the bank'])
    const over = /Already refused by binta@ops.example/
    await assert.rejects(approvals.approve({ id, person: ismael }), over)
    await assert.rejects(approvals.refuse({ id, person: ismael, reason: 'x' }), over)
    assert.equal(await availableOf(clientId), 0)
  })

  it('expires, before and after the gateway has noticed', async () => {
    const { clientId } = await newMerchant(0)
    const { people } = gateway
    const limits = { approvalAbove: 0, approverAge: 3 }
    const never = () => Promise.reject(new Error('no statement is meant'))
    const told = { onDecided: async () => {}, proveApproved: never, takeBack: never }
    const acts = { recordWithdrawal: never, recordSuspense: never, recordForgetting: never }
    const settings = { ...limits, ...told, ...acts, people, publicUrl: () => '', hasSmtp: false }
    let now = clock.now()
    const own = openApprovals({ db, clock: { now: () => now }, transactions, ...settings })
    const { id, expiresAt, proposedAt } = await proposed(fundOrder(clientId), own)
    assert.equal(expiresAt.getTime() - proposedAt.getTime(), 72 * 3_600_000)
    now = new Date(expiresAt.getTime() - 1)
    // Proposals of the tests before may expire here.
    await own.expire(now)
    assert.equal(await stateOf(id), 'open')
    now = expiresAt
    await assert.rejects(own.approve({ id, person: binta }), /It has expired/)
    assert.equal(await own.expire(now), 1)
    assert.equal(await stateOf(id), 'expired')
    await assert.rejects(own.approve({ id, person: binta }), /It has expired/)
    assert.equal(await availableOf(clientId), 0)
  })

  it('is proposed once by a form that is sent twice', async () => {
    const { clientId } = await newMerchant(0)
    const order = fundOrder(clientId)
    const sent = await Promise.all(
      [approvals, other].map((one) => one.request(order, awa, 'dash-1')),
    )
    const ids = sent.map((one) => one.kind === 'proposed' && one.approval.id)
    assert.deepEqual(new Set(ids).size, 1)
  })

  it('cannot be changed or undone in the database once it is decided', async () => {
    const { clientId } = await newMerchant(0)
    const { id } = await proposed(fundOrder(clientId))
    const refused: [string, RegExp][] = [
      [`update approvals set amount = 9 where id = '${id}'`, /cannot be changed/],
      [`update approvals set content = '{}' where id = '${id}'`, /cannot be changed/],
      [`delete from approvals where id = '${id}'`, /append-only/],
    ]
    for (const [change, message] of refused) await assert.rejects(owner(statement(change)), message)
    await approvals.approve({ id, person: binta })
    await assert.rejects(
      owner`update approvals set state = 'open', decided_by = null, decided_at = null,
        outcome = null where id = ${id}`,
      /is approved already/,
    )
  })
})

describe('a proposal that waits', () => {
  it('is told to each who may approve it, in their language, but not to its proposer', async () => {
    const { clientId } = await newMerchant(0)
    const add = (email: string, operatorRole: OperatorRole, language: 'fr' | 'en' = 'en') =>
      addPerson(gateway, { email, operatorRole, language })
    await add('fatou@ops.example', 'finance-operator', 'fr')
    await add('john@ops.example', 'operator')
    await add('support@ops.example', 'support-operator')
    await add('auditor@ops.example', 'auditor')
    await owner`delete from mails`
    const { mailFrom } = readConfig(environment)
    const smtp = openSmtp({ smtpUrl: mails.url, mailFrom, mode: 'sandbox' })
    const sender = startMailSweeper({ db, clock, log: openLog('silent'), smtp })
    after(sender.stop)
    const order = fundOrder(clientId, 1_250_000)
    await Promise.all([approvals, other].map((one) => one.request(order, awa, 'dash-mail')))
    const [approval] = await approvals.list({ limit: 1 })
    const got = await mails.has(4)
    const texts = new Map(got.map(({ to, mail }) => [to.join(), mail]))
    assert.deepEqual([...texts.keys()].toSorted(), [
      binta,
      'fatou@ops.example',
      ismael,
      'john@ops.example',
    ])
    const french = texts.get('fatou@ops.example')
    assert.match(french?.subject ?? '', /^À approuver.: 1.250.000.F.CFA$/)
    assert.match(french?.text ?? '', /Opération.: Alimenter un compte\n.*Proposé par.: awa@ops/s)
    const english = texts.get('john@ops.example')?.text ?? ''
    assert.match(english, new RegExp(`Merchant: .*\\(${clientId}\\)\n`))
    assert.ok(english.includes(`/dashboard/ops/approvals/${approval?.id}\n`), english)
    // Those of roles in a client would see it among its mails.
    assert.deepEqual(await db`select from mails where client_id = ${clientId}`, [])
  })
})

describe('an approval is carried out once', () => {
  test('when several people approve and refuse at the same moment', async () => {
    const { clientId } = await newMerchant(0)
    const rounds = sized(12, 100)
    let paid = 0
    for (let round = 0; round < rounds; round += 1) {
      const { id } = await proposed(fundOrder(clientId, 2000))
      const results = await Promise.allSettled([
        approvals.approve({ id, person: binta }),
        other.approve({ id, person: ismael }),
        other.refuse({ id, person: binta, reason: 'no' }),
        approvals.approve({ id, person: awa.person }),
      ])
      const won = results.filter(({ status }) => status === 'fulfilled')
      assert.equal(won.length, 1, JSON.stringify(results))
      if ((await stateOf(id)) === 'approved') paid += 1
    }
    assert.equal(await availableOf(clientId), paid * 2000)
  })

  it('when its connection dies between the posting and the commit', async () => {
    const { clientId } = await newMerchant(0)
    const { id } = await proposed(fundOrder(clientId))
    await owner`
      create function die() returns trigger language plpgsql security definer as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`
    await owner`create trigger die before update on approvals for each row execute function die()`
    try {
      await assert.rejects(approvals.approve({ id, person: binta }))
    } finally {
      await owner`drop trigger die on approvals`
    }
    assert.deepEqual([await stateOf(id), await availableOf(clientId)], ['open', 0])
    await approvals.approve({ id, person: binta })
    assert.equal(await availableOf(clientId), 5000)
  })
})

/** A collection that was failed by hand before its payer paid; its money is in suspense. */
async function latePayment(merchant: {
  clientId: number
  secret: string
}): Promise<{ id: string; number: string }> {
  refs += 1
  const number = String(779_500_000 + refs)
  await script(gateway, number, paidWhenContinued)
  const { body } = await call(
    { ...gateway, ...merchant },
    'POST /api/v1/transaction/init',
    initBody({ number, externalTransactionId: `late ${refs}` }),
  )
  const { clientId } = merchant
  const id = String(body.transaction.transactionId)
  await transactions.resolve({ clientId, id, as: 'failed', reason: 'seen', actor: 'test' })
  await continuePayer(gateway, number)
  await eventually('its money is in suspense', async () => {
    const rows = await db`select from ledger_entries where client_id = ${clientId}
      and account = 'suspense'`
    return rows.length > 0
  })
  return { id, number }
}

describe('what two people can decide', () => {
  it('is to withdraw, as far as the money goes', async () => {
    const { clientId } = await newMerchant(6000)
    const order = (amount: number): Order => {
      refs += 1
      return { kind: 'withdraw', clientId, amount, ref: `out ${refs}` }
    }
    await assert.rejects(approvals.request(order(6001), awa), /Insufficient balance/)
    const [first, second] = [await proposed(order(4000)), await proposed(order(4000))]
    await approvals.approve({ id: first.id, person: binta })
    await assert.rejects(
      approvals.approve({ id: second.id, person: binta }),
      /Insufficient balance/,
    )
    assert.deepEqual([await stateOf(second.id), await availableOf(clientId)], ['open', 2000])
  })

  it('is not to use a reference twice', async () => {
    const { clientId } = await newMerchant(0)
    const order = fundOrder(clientId)
    const [first, second] = [await proposed(order), await proposed(order)]
    await approvals.approve({ id: first.id, person: binta })
    await assert.rejects(approvals.approve({ id: second.id, person: binta }), /was used before/)
    assert.deepEqual([await stateOf(second.id), await availableOf(clientId)], ['open', 5000])
  })

  it('is to adjust against a named account, in both directions', async () => {
    const { clientId } = await newMerchant(3000)
    const adjust = (amount: number, account: string, isGiven: boolean): Order => ({
      kind: 'adjust',
      clientId,
      amount,
      account,
      isGiven,
      ref: `ticket ${amount}`,
      reason: 'counted wrong',
    })
    const orders: [Order, number][] = [
      [adjust(2500, 'fees', false), 500],
      [adjust(4000, 'provider:WALLETA:SN', true), 4500],
    ]
    for (const [order, available] of orders) {
      const { id } = await proposed(order)
      await approvals.approve({ id, person: binta })
      assert.equal(await availableOf(clientId), available)
    }
    await assert.rejects(approvals.request(adjust(1500, 'held', true), awa), /cannot be adjusted/)
    const [lines] = await db`
      select array_agg(account || ' ' || amount order by amount) as lines from ledger_entries e
      join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
      where p.kind = 'adjust' and p.client_id = ${clientId}`
    assert.deepEqual(lines, {
      lines: ['provider:WALLETA:SN -4000', 'available -2500', 'fees 2500', 'available 4000'],
    })
  })

  it('is to resolve a transaction, unless it has ended since', async () => {
    const merchant = await newMerchant(0)
    const { clientId } = merchant
    const [one, two] = [await stuckPayment(merchant), await stuckPayment(merchant)]
    const resolve = (id: string): Order => ({
      kind: 'resolve',
      clientId,
      id,
      as: 'success',
      reason: 'in their portal',
    })
    const [first, second] = [await proposed(resolve(one)), await proposed(resolve(two))]
    assert.equal(first.amount, 5000)
    const { done } = await approvals.approve({ id: first.id, person: binta })
    assert.equal('transaction' in done && done.transaction.status, 'SUCCESS')
    await transactions.resolve({ clientId, id: two, as: 'failed', reason: 'x', actor: 'test' })
    await assert.rejects(
      approvals.approve({ id: second.id, person: binta }),
      /The transaction is final: FAILED/,
    )
    assert.deepEqual([await stateOf(second.id), await availableOf(clientId)], ['open', 4900])
  })

  it('is to give recharge codes, which a proposal keeps sealed', async () => {
    const merchant = await newMerchant(9000)
    const caller = { url: gateway.url, secret: merchant.secret }
    const body = topUpBody({ amount: 5000 })
    await script(gateway, body.reference_client, [])
    const { transaction } = (await pay(caller, body)).body
    const id = String(transaction.transactionId)
    const token = '1111-2222-3333-4444-5555'
    const { clientId } = merchant
    const order = { kind: 'resolve', clientId, id, as: 'success', reason: 'seen' } as const
    const { id: approvalId } = await proposed({ ...order, token })
    assert.ok(!JSON.stringify(await contentsOf(db)).includes(token))
    await approvals.approve({ id: approvalId, person: binta })
    const found = await call(caller, `GET /api/v1/transaction/${id}`)
    assert.deepEqual(
      [found.body.transaction.Status, found.body.transaction.token],
      ['SUCCESS', token],
    )
  })

  it('is not to resolve one that ends while the approval waits for its row', async () => {
    const merchant = await newMerchant(0)
    const { clientId } = merchant
    const id = await stuckPayment(merchant)
    const seen = { clientId, id, reason: 'seen' }
    const { id: approvalId } = await proposed({ kind: 'resolve', as: 'success', ...seen })
    let approving: Promise<unknown> = Promise.resolve()
    const { afterCommit } = await db.transaction(async (tx) => {
      await holdLong(tx)
      const failing = { ...seen, as: 'failed' as const }
      const recorded = await transactions.recordResolution(tx, failing, 'test')
      approving = other.approve({ id: approvalId, person: binta })
      approving.catch(() => {})
      await untilBlocked(owner)
      return recorded
    })
    afterCommit()
    await assert.rejects(approving, /The transaction is final: FAILED/)
    assert.deepEqual([await stateOf(approvalId), await availableOf(clientId)], ['open', 0])
  })

  it('is to send money back, and only the payment that was seen', async () => {
    const merchant = await newMerchant(0)
    const { clientId } = merchant
    const { id } = await latePayment(merchant)
    const order = { kind: 'send_back' as const, clientId, id, reason: 'payer wrote' }
    const [first, second] = [await proposed(order), await proposed(order)]
    assert.deepEqual([first.amount, first.seen.status], [5000, 'FAILED'])
    const another = { ...order, actor: binta, expected: { amount: 5000, reference: 'another' } }
    await assert.rejects(
      db.transaction((tx) => transactions.recordSendBack(tx, another, clock.now())),
      /The payment to send back is no longer/,
    )
    const { done } = await approvals.approve({ id: first.id, person: binta })
    assert.ok('transaction' in done)
    await until({ ...gateway, ...merchant }, done.transaction.id, isEnd)
    await assert.rejects(approvals.approve({ id: second.id, person: binta }), {
      message: 'Nothing is left to send back',
    })
    await approvals.refuse({ id: second.id, person: binta, reason: 'was sent back' })
  })

  it('is not to send it back from the balance, when it was seen in suspense', async () => {
    const merchant = await newMerchant(0)
    const { clientId } = merchant
    const { id, number } = await latePayment(merchant)
    const order = { kind: 'send_back' as const, clientId, id, reason: 'payer wrote' }
    const [first, second] = [await proposed(order), await proposed(order)]
    assert.deepEqual([first.seen.from, second.seen.from], ['suspense', 'suspense'])
    await script(gateway, number, [{ do: 'decline', reason: 'payee_refused' }, { do: 'callback' }])
    const { done } = await approvals.approve({ id: first.id, person: binta })
    assert.ok('transaction' in done)
    const refunding = { ...gateway, ...merchant }
    assert.equal(await until(refunding, done.transaction.id, isEnd), 'FAILED')
    assert.equal(await availableOf(clientId), 5000)
    await assert.rejects(
      approvals.approve({ id: second.id, person: binta }),
      /The payment to send back is no longer/,
    )
    assert.deepEqual([await stateOf(second.id), await availableOf(clientId)], ['open', 5000])
    assert.equal((await proposed(order)).seen.from, 'available')
  })

  it('is not to add a code to what was still open when it was seen', async () => {
    const merchant = await newMerchant(9000)
    const caller = { url: gateway.url, secret: merchant.secret }
    const body = topUpBody({ amount: 5000 })
    await script(gateway, body.reference_client, [])
    const id = String((await pay(caller, body)).body.transaction.transactionId)
    const { clientId } = merchant
    const order = { kind: 'resolve', clientId, id, as: 'success', reason: 'seen' } as const
    const token = '1111-2222-3333-4444-6666'
    const { id: approvalId } = await proposed({ ...order, token })
    await transactions.resolve({ ...order, actor: 'test' })
    const approving = approvals.approve({ id: approvalId, person: binta })
    await assert.rejects(approving, /This has changed since you saw it/)
    await approvals.approve({ id: (await proposed({ ...order, token })).id, person: binta })
  })

  it('changes nothing while it is only looked at', async () => {
    const merchant = await newMerchant(6000)
    const { clientId } = merchant
    const late = await latePayment(merchant)
    const stuck = await stuckPayment(merchant)
    const tables = ['ledger_accounts', 'ledger_postings', 'conflicts', 'events', 'audit_log']
    const contents = async () => pick(await contentsOf(db), [...tables, 'approvals'])
    const before = await contents()
    const looks: Order[] = [
      fundOrder(clientId),
      { kind: 'withdraw', clientId, amount: 6000, ref: 'look' },
      { kind: 'send_back', clientId, id: late.id, reason: 'look' },
      { kind: 'resolve', clientId, id: stuck, as: 'failed', reason: 'look' },
    ]
    for (const order of looks) await approvals.preview(order)
    assert.deepEqual(await contents(), before)
  })
})

describe('verify', () => {
  it('finds an approval that led to nothing, and one that nobody made', async () => {
    const { clientId } = await newMerchant(0)
    const { id } = await proposed(fundOrder(clientId))
    await owner`
      update approvals set state = 'approved', decided_by = 'eve@ops.example', decided_at = now(),
        outcome = '{}' where id = ${id}`
    const found = (await findApprovalBreaks(db)).filter(({ where }) => where.includes(id))
    assert.deepEqual(
      found.map(({ what }) => what),
      [
        'of 5000 F was approved, and 0 F were posted',
        'is approved, and the audit log says otherwise',
      ],
    )
    await owner`alter table approvals disable trigger user`
    await owner`delete from approvals where id = ${id}`
    await owner`alter table approvals enable trigger user`
  })
})

test('the money, the approvals and the audit log agree', async () => {
  await closeAuditChain(db)
  // Without the lab's books: a payment was said to have succeeded that the lab knows nothing of.
  await assertMoney({ db })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Order } from '#backoffice/approvals/approval.ts'
import { after, systemClock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { addPerson } from '#test/dashboard.ts'
import { call, collected, initBody, isEnd, liveGateway, script, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { mortalDb } from '#test/mortal-db.ts'
import { chunksOf, csvOf, lineOf, type MadeLine } from '#test/statement-maker.ts'
import { openRecon } from '../open.ts'
import type { Party, Statement } from './statement.ts'

const gateway = await liveGateway({ pace: 20, environment: { APPROVAL_ABOVE: '1000000' } })
const { db, transactions, approvals } = gateway
const hourMs = 3_600_000
const clock = { now: () => after(systemClock.now(), hourMs) }
const { pseudonymOf } = transactions.context
const log = openLog('silent')
const reconOf = (own: typeof db) =>
  openRecon({ db: own, clock, log, transactions, approvals, pseudonymOf })
const recon = reconOf(db)
const awa = { person: 'awa@ops.example', actor: 'awa@ops.example' }
const binta = 'binta@ops.example'
await addPerson(gateway, { email: binta, operatorRole: 'operator' })
let numbers = 779_800_000

const party = (code: string): Party => {
  const [provider = '', country = ''] = code.split('_')
  return { provider, country }
}
const importTo = (code: string, lines: MadeLine[], by = recon, range = {}) =>
  by.import({
    ...party(code),
    name: 'x.csv',
    actor: 'test',
    ...range,
    file: chunksOf(csvOf(lines)),
  })
const orderOf = ({ id, name }: Pick<Statement, 'id' | 'name'>): Order => ({
  kind: 'statement_withdrawal',
  clientId: null,
  id,
  name,
  reason: 'the wrong wallet',
})

/** Proposed by one person and approved by another. */
async function withdrawn(statement: Pick<Statement, 'id' | 'name'>): Promise<Statement> {
  const requested = await approvals.request(orderOf(statement), awa)
  if (requested.kind !== 'proposed') assert.fail('one person is not enough')
  await approvals.approve({ id: requested.approval.id, person: binta })
  await recon.resume()
  return recon.get(statement.id)
}

const own = (change: Partial<MadeLine>): MadeLine => ({
  moment: '2026-01-15T10:00:00Z',
  reference: 'monthly',
  our_reference: '',
  kind: 'fee',
  number: '',
  amount: 300,
  fee: 0,
  status: 'succeeded',
  ...change,
})

async function bookedOf(code: string): Promise<[fees: number, transfers: number]> {
  const { provider, country } = party(code)
  const [row] = await db<{ fees: number; transfers: number }>`
    select coalesce(sum(e.amount) filter (where p.kind = 'provider_fee'), 0)::bigint as fees,
      coalesce(-sum(e.amount) filter (where p.kind = 'transfer'), 0)::bigint as transfers
    from ledger_postings p
    join ledger_entries e on (e.client_id, e.posting_id) = (p.client_id, p.id)
    where p.client_id = 0 and e.account = ${`provider:${provider}:${country}`}`
  return [row?.fees ?? 0, row?.transfers ?? 0]
}

const openOf = async (code: string) =>
  (await recon.cases({ ...party(code), isUnclosed: true }, { limit: 50 }))
    .map(({ kind, amount }) => `${kind} ${amount}`)
    .toSorted()

describe('a statement that was withdrawn', () => {
  const code = 'WALLETB_SN_CASHOUT'

  it('takes its cases and bookings back, and what other files tell counts again', async () => {
    const id = await collected(gateway, { serviceCode: code })
    const line = await lineOf(db, id, { fee: 50 })
    const before = await importTo(code, [{ ...line, amount: 9000 }, own({})])
    assert.deepEqual(await openOf(code), ['amount 4000'])
    const transfer = own({ reference: 'bank', kind: 'transfer', amount: -2000 })
    const strangers = [1, 2].map((n) =>
      own({ kind: 'collect', reference: `wrong-${n}`, amount: n }),
    )
    const lines = [{ ...line, fee: 70 }, own({ amount: 310 }), transfer, ...strangers]
    const wrong = await importTo(code, lines)
    assert.deepEqual(await openOf(code), ['theirs_only 1', 'theirs_only 2'])
    assert.deepEqual(await bookedOf(code), [380, -2000])
    const done = await withdrawn(wrong)
    assert.deepEqual([done.state, done.fees, done.transfers], ['withdrawn', 0, 0])
    assert.deepEqual(await openOf(code), ['amount 4000'])
    assert.deepEqual(await bookedOf(code), [350, 0])
    await assertMoney({ db })
    // The same file is another statement now, and what it corrects is corrected again.
    const again = await importTo(code, lines)
    assert.notEqual(again.id, wrong.id)
    assert.deepEqual(await openOf(code), ['theirs_only 1', 'theirs_only 2'])
    assert.deepEqual(await bookedOf(code), [380, -2000])
    // What a file books that tells of the same is what was taken back with another.
    await withdrawn(before)
    assert.deepEqual(await bookedOf(code), [380, -2000])
    await assertMoney({ db })
  })

  it('tells of nothing: a success is missing again in the file of its time', async () => {
    const at = 'WALLETA_CI_CASHOUT'
    const [one, other] = [
      await collected(gateway, { serviceCode: at }),
      await collected(gateway, { serviceCode: at }),
    ]
    const now = systemClock.now()
    const range = { from: after(now, -hourMs), to: after(now, hourMs / 2) }
    await importTo(at, [await lineOf(db, one)], recon, range)
    assert.deepEqual(await openOf(at), ['ours_only -5000'])
    const second = await importTo(at, [await lineOf(db, other)])
    assert.deepEqual(await openOf(at), [])
    await withdrawn(second)
    assert.deepEqual(await openOf(at), ['ours_only -5000'])
    await assertMoney({ db })
  })

  it('is one that ended nothing, and of which nothing waits', async () => {
    numbers += 1
    const at = 'WALLETC_SN_CASHOUT'
    await script(gateway, String(numbers), [])
    const order = initBody({ serviceCode: at, number: String(numbers) })
    const { body } = await call(gateway, 'POST /api/v1/transaction/init', order)
    const id = String(body.transaction.transactionId)
    const line = await lineOf(db, id)
    const stranger = own({ kind: 'collect', reference: 'stays', amount: 40 })
    const ending = await importTo(at, [line, stranger])
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
    const ended = /^Its lines ended or booked payments/
    await assert.rejects(approvals.preview(orderOf(ending)), { message: ended })
    // Another file tells it too, and stays.
    const copy = await importTo(at, [line, own({ kind: 'collect', reference: 'copy', amount: 41 })])
    const [open] = await recon.cases({ statementId: copy.id, state: 'open' }, { limit: 1 })
    const adjust = {
      how: 'adjust' as const,
      clientId: gateway.clientId,
      amount: 41,
      isGiven: true,
      reason: 'ours after all',
    }
    await recon.mend(open?.id ?? '', adjust, awa)
    await assert.rejects(approvals.preview(orderOf(copy)), {
      message: /^Differences were resolved/,
    })
    assert.equal((await withdrawn(ending)).state, 'withdrawn')
    await assert.rejects(approvals.preview(orderOf(ending)), { message: /withdrawn already/ })
    await assertMoney({ db })
  })
})

describe('money that the provider alone knows', () => {
  const code = 'WALLETG_CI_CASHOUT'
  const stranger = own({ kind: 'collect', reference: 'unknown', amount: 700, fee: 7 })
  const suspense = async () => {
    const [row] = await db<{ amount: number }>`
      select coalesce(sum(amount), 0)::bigint as amount from ledger_entries
      where account = 'suspense' and client_id = 0`
    return row?.amount
  }
  const suspended = async () => {
    const [one] = await recon.cases({ ...party(code), state: 'open' }, { limit: 1 })
    const { case: closed } = await recon.mend(
      one?.id ?? '',
      { how: 'suspend', reason: 'whose is it?' },
      awa,
    )
    assert.deepEqual([closed.state, closed.closing], ['closed', 'suspended'])
  }

  it('goes to suspense, follows corrections, and out of it once it was given back', async () => {
    const first = await importTo(code, [stranger])
    assert.deepEqual(await recon.balance(first).then(({ difference }) => difference), 700)
    await suspended()
    assert.deepEqual([await openOf(code), await suspense()], [[], 700])
    assert.equal((await recon.balance(await recon.get(first.id))).difference, 0)
    await assertMoney({ db })
    // Told again it is no difference; another amount is one by what differs.
    await importTo(code, [stranger, own({ reference: 'x' })])
    assert.deepEqual(await openOf(code), [])
    await importTo(code, [{ ...stranger, amount: 650 }])
    assert.deepEqual(await openOf(code), ['theirs_only -50'])
    await suspended()
    assert.equal(await suspense(), 650)
    await importTo(code, [{ ...stranger, amount: 650, status: 'reversed' }])
    assert.deepEqual(await openOf(code), ['theirs_only -650'])
    await suspended()
    assert.deepEqual([await openOf(code), await suspense()], [[], 0])
    await assertMoney({ db })
  })

  it('comes out of it with its statement', async () => {
    const { id, name } = await importTo(code, [{ ...stranger, reference: 'mistaken' }])
    await suspended()
    assert.equal(await suspense(), 700)
    await withdrawn({ id, name })
    assert.deepEqual([await openOf(code), await suspense()], [[], 0])
    await assertMoney({ db })
  })
})

describe('an import that died', () => {
  const code = 'WALLETE_ML_CASHOUT'

  it('is withdrawn at whichever step, and one that always fails keeps no other', async () => {
    for (let commit = 2; ; commit += 1) {
      const lines = [own({ reference: `dead-${commit}`, amount: 5 }), own({ reference: 'both' })]
      const dies = mortalDb(db)
      dies.meets('lost', commit)
      const died = await importTo(code, lines, reconOf(dies.db)).then(
        () => false,
        () => true,
      )
      const [dead] = await recon.list({ ...party(code), limit: 1 })
      if (dead === undefined) continue
      if (died && dead.state === 'matching') {
        // Its lines cannot be read, whoever tries.
        const run = (strings: TemplateStringsArray, ...values: unknown[]) =>
          values[0] === dead.id && strings.join('').includes('bucket is null')
            ? Promise.reject(new Error('a row is broken'))
            : db(strings, ...values)
        const broken = reconOf(Object.assign(run, db))
        await importTo(code, [own({ reference: `other-${commit}`, amount: 2 })], broken)
      }
      if (dead.state === 'matching' || dead.state === 'read')
        assert.equal((await withdrawn(dead)).state, 'withdrawn')
      await assertMoney({ db })
      if (!died) break
    }
    await recon.resume()
    const left = await db`
      select from statements
      where (provider, country) = ('WALLETE', 'ML') and state not in ('read', 'withdrawn')`
    assert.equal(left.length, 0)
    await assertMoney({ db })
  })
})

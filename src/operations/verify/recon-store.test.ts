import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openRecon } from '#backoffice/recon/open.ts'
import { after, systemClock } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import { openLog } from '#base/log/log.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { postOwn } from '#money/ledger/own.ts'
import { providerFee } from '#money/ledger/postings.ts'
import { call, initBody, isEnd, liveGateway, script, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { chunksOf, csvOf, lineOf } from '#test/statement-maker.ts'
import { findReconBreaks } from './recon-store.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, transactions, approvals } = gateway
const owner = gateway.connect({ asOwner: true })
const { pseudonymOf } = transactions.context
// Later than what the files tell, so that they have their time whole.
const clock = { now: () => after(systemClock.now(), 86_400_000) }
const log = openLog('silent')
const recon = openRecon({ db, clock, log, transactions, approvals, pseudonymOf })
const party = { provider: 'WALLETA', country: 'SN' }

const paid: string[] = []
for (let number = 779_660_000; number < 779_660_005; number += 1) {
  await script(gateway, String(number), [{ do: 'succeed' }, { do: 'callback' }])
  const order = initBody({ number: String(number), amount: 900 })
  const { body } = await call(gateway, 'POST /api/v1/transaction/init', order)
  paid.push(String(body.transaction.transactionId))
  await until(gateway, paid.at(-1) ?? '', isEnd)
}
const [right = '', other = '', dear = '', ,] = paid
await recon.saveMapping({
  ...party,
  fees: { collect: { basisPoints: 0, fixed: 5 } },
  actor: 'test',
})
const line = await lineOf(db, right, { fee: 5 })
const lines = [
  line,
  await lineOf(db, other, { amount: 1000, fee: 5 }),
  await lineOf(db, dear, { fee: 9 }),
  { ...line, reference: 'stranger', our_reference: '', amount: 70, fee: 0 },
]
const now = systemClock.now()
const { id } = await recon.import({
  ...party,
  name: 'a.csv',
  actor: 'test',
  file: chunksOf(csvOf(lines)),
  from: after(now, -3_600_000),
  to: after(now, 3_600_000),
})
const found = async () => (await findReconBreaks(db)).map(({ what }) => what)

it('what is imported is whole', async () => {
  const cases = await recon.cases({ statementId: id }, { limit: 9 })
  const kinds = cases.map(({ kind, amount }) => `${kind} ${amount}`)
  assert.deepEqual(kinds.toSorted(), [
    'amount 100',
    'fee -4',
    'ours_only -900',
    'ours_only -900',
    'theirs_only 70',
  ])
  await assertMoney({ db })
})

const line1 = (by: number) => owner`
  update statement_lines set fees_booked = fees_booked + ${by}
  where statement_id = ${id} and line = 2`
const amountOf = (kind: string) => (by: number) =>
  owner`update recon_cases set amount = amount + ${by} where kind = ${kind}`

/** What is planted with 1 is taken out with -1. */
const plants: [about: string, plant: (by: number) => Promise<unknown>, found: RegExp][] = [
  [
    'counts of a statement',
    (by) =>
      owner`update statements set matched = matched + ${by}, known = known - ${by}
        where id = ${id}`,
    /counts 4 lines/,
  ],
  [
    'fees of a statement',
    (by) => owner`update statements set fees = fees + ${by} where id = ${id}`,
    /shows 20 F of fees and 0 F of transfers, booked are 19 F/,
  ],
  ['fees of a fact', line1, /tells of 5 F of fees and 0 F of transfers, booked are 6 F/],
  [
    'what a line claims',
    (by) =>
      owner`update statement_lines set booked = booked + ${by}
        where statement_id = ${id} and transaction_id = ${right}`,
    /claims 901 F that the ledger does not have so/,
  ],
  [
    'what two lines claim',
    (by) => {
      const [from, to] = by > 0 ? [dear, right] : [right, dear]
      return owner`
        update statement_lines l
        set transaction_id = t.id, attempt_id = t.attempt_id, booked_at = t.completed_at
        from transactions t
        where l.statement_id = ${id} and l.line = 4 and l.transaction_id = ${from} and t.id = ${to}`
    },
    /claims money that another line claims/,
  ],
  [
    'what is in suspense of strangers',
    (by) =>
      owner`update statement_lines set booked = ${by > 0 ? 1 : null}::bigint,
        booked_at = case when ${by} > 0 then at end
        where statement_id = ${id} and transaction_id is null`,
    /has 0 F of strangers in suspense, and lines claim 1 F/,
  ],
  ...['amount', 'fee', 'theirs_only', 'ours_only'].map((kind): (typeof plants)[number] => [
    `the amount of a case: ${kind}`,
    amountOf(kind),
    /differs by -?\d+ F, and by what is told and booked it is/,
  ]),
  [
    'the line of a case',
    (by) => owner`update recon_cases set line = line + ${90 * by} where kind = 'theirs_only'`,
    /is of a line that is not there/,
  ],
  [
    'a success that is told',
    (by) => {
      const [from, to] = by > 0 ? [paid[3], right] : [right, paid[3]]
      return owner`update recon_cases set transaction_id = ${to ?? ''}
        where kind = 'ours_only' and transaction_id = ${from ?? ''}`
    },
    /is of a success that a line tells of/,
  ],
  [
    'who has closed a case',
    (by) =>
      by > 0
        ? owner`update recon_cases set state = 'closed', closed_at = now(), closed_by = '',
            closing = 'ignored', reason = 'x' where kind = 'theirs_only'`
        : owner`update recon_cases set state = 'open', closed_at = null, closed_by = null,
            closing = null, reason = null where kind = 'theirs_only'`,
    /is closed, and says not by whom or why/,
  ],
]

for (const [about, plant, what] of plants)
  it(`finds what is wrong with ${about}`, async () => {
    await plant(1)
    const breaks = await found()
    await plant(-1)
    assert.ok(
      breaks.some((one) => what.test(one)),
      `${what} is not in ${breaks.join(', ')}`,
    )
    assert.deepEqual(await found(), [])
  })

it('finds postings of no statement', async () => {
  const service = parseServiceCode('WALLETA_SN_CASHOUT') ?? assert.fail()
  const fee = providerFee(newId(now), service, 3)
  await db.transaction((tx) => postOwn(tx, fee, now))
  assert.deepEqual(await found(), ['of provider_fee belongs to no statement'])
})

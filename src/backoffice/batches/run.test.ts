import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock } from '#base/kit/clock.ts'
import { fillIn } from '#base/kit/refusal.ts'
import { readAudit } from '#data/db/audit-log.ts'
import { writeCsv } from '#formats/tables/write-csv.ts'
import { endMaintenance, startMaintenance } from '#merchants/catalog/maintenance.ts'
import { settle } from '#money/ledger/settlement.ts'
import { pauseProvider, resumeProvider } from '#money/providers/pauses.ts'
import { approved, payoutFile, upload } from '#test/batches.ts'
import { balance, call, initBody, liveGateway, post, script } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { bytesOf } from '#test/tables.ts'
import { eventually } from '#test/wait.ts'
import { type Batch, type BatchId, externalIdOf } from './batch.ts'
import type { BatchState } from './transitions.ts'

const live = await liveGateway({ pace: 20, linesPerSecond: 40 })
const elsewhere = await live.newProcess()
const { db, batches } = live
const all = { after: 0, limit: 1000 }
const wallet = 'WALLETA_SN_CASHIN'

function until(id: BatchId, state: BatchState): Promise<Batch> {
  return eventually(`the batch is ${state}`, async () => {
    const batch = await batches.get(id)
    return batch.state === state && batch
  })
}

const payouts = (count: number, amount = 500) =>
  Array.from({ length: count }, (_, index) => `77123${4000 + index};${amount};${wallet};Awa`)

async function sumPaid(clientId: number): Promise<number> {
  const [row] = await db<{ sum: number }>`
    select coalesce(sum(amount), 0)::bigint as sum from transactions
    where client_id = ${clientId} and status = 'SUCCESS' and operation = 'CASHIN'`
  return row?.sum ?? 0
}

describe('a batch', { concurrency: true }, () => {
  it('pays each line once, tells what became of it, and retries only what failed', async () => {
    const merchant = await live.newMerchant()
    const { clientId } = merchant
    const numbers = ['771234567', '770000001', '770000006', '770000002', '771234568']
    const lines = numbers.map((number, index) => `${number};${1000 + index};${wallet};Nom ${index}`)
    const id = await approved(live, clientId, lines)
    const finished = await until(id, 'finished')
    assert.deepEqual(
      [finished.paid, finished.failed, finished.open, finished.waiting, finished.paidAmount],
      [3, 2, 0, 0, 1000 + 1002 + 1004],
    )
    const failed = await batches.lines(id, { ...all, states: ['failed'] })
    const others = await batches.lines(id, { ...all, states: ['paid'] })
    await batches.retryFailed({ ...id, actor: 'awa' })
    const again = await until(id, 'finished')
    assert.equal(again.failed, 2, 'the numbers fail each time')
    const retried = await batches.lines(id, { ...all, states: ['failed'] })
    assert.deepEqual(
      retried.map((line) => [line.attempt, externalIdOf(id.id, line)]),
      failed.map((line) => [2, `batch-${id.id}-${line.line}-2`]),
    )
    assert.deepEqual(await batches.lines(id, { ...all, states: ['paid'] }), others)
    assert.equal(await sumPaid(clientId), 3006)
    // Three payouts with a fee of two percent, rounded.
    assert.equal(await balance({ ...live, ...merchant }), 5_000_000 - 3006 - 60)

    const text = (await bytesOf(writeCsv(await batches.resultFile(id, 'fr')))).toString()
    const [header = '', ...rows] = text.trim().split('\r\n')
    assert.match(header, /^Ligne;Numéro;Service;Montant;Frais;.*;Code d'échec;/)
    const [paid = '', refused = ''] = rows
    assert.match(
      paid,
      /^2;77.123.45.67;WALLETA_SN_CASHIN;1000;-20;Nom 0;;SUCCESS;;;1;[0-9a-f-]{36};batch-/,
    )
    assert.match(refused, /^3;77.000.00.01;.*;1001;;Nom 1;;FAILED;PROVIDER_DECLINED;;2;/)
    assert.equal(rows.length, 5)
  })

  it('makes ordinary payouts that the interface finds, with an event each', async () => {
    const { clientId } = await live.newMerchant()
    const id = await approved(live, clientId, payouts(1))
    await until(id, 'finished')
    const [line] = await batches.lines(id, all)
    const found = await live.transactions.findById({ clientId, id: line?.transactionId ?? '' })
    assert.equal(found?.externalId, `batch-${id.id}-2`)
    assert.deepEqual(JSON.parse(found?.customData ?? ''), {
      batchId: id.id,
      line: 2,
      reference: '',
    })
    const events = await db`select from events where client_id = ${clientId}`
    assert.equal(events.length, 1)
  })

  it('needs a second person, unless the caller says that there is none', async () => {
    const { clientId } = await live.newMerchant()
    const { id } = await upload(live, clientId, payoutFile(payouts(1)))
    const act = { clientId, id, actor: 'awa' }
    await assert.rejects(batches.approve({ ...act, actor: 'binta' }), /The batch is draft/)
    await batches.propose(act)
    await assert.rejects(batches.approve(act), /Another person must approve/)
    assert.equal((await batches.get(act)).state, 'proposed')
    await batches.approve({ ...act, mayApproveOwn: true })
    await until(act, 'finished')
    const second = await upload(live, clientId, payoutFile(payouts(1, 600)))
    await batches.propose({ ...second, actor: 'awa' })
    await assert.rejects(
      async () => batches.refuse({ ...second, actor: 'b', reason: ' ' }),
      /reason/,
    )
    const refused = await batches.refuse({ ...second, actor: 'binta', reason: 'wrong\nmonth' })
    assert.equal(refused.reason?.text, 'wrong month')
    await assert.rejects(batches.approve({ ...second, actor: 'binta' }), /The batch is refused/)
    const steps = await batches.steps(second)
    assert.deepEqual(
      steps.map(({ to, actor }) => [to, actor]),
      [
        ['draft', 'awa'],
        ['proposed', 'awa'],
        ['refused', 'binta'],
      ],
    )
    const audited = await readAudit(db, { clientId, before: null, limit: 50 })
    const actions = new Set(audited.map(({ action }) => action))
    for (const action of ['uploaded', 'proposed', 'approved', 'started', 'done', 'refused'])
      assert.ok(actions.has(`batch.${action}`), action)
  })

  it('is not found by another client', async () => {
    const { clientId } = await live.newMerchant()
    const { id } = await upload(live, clientId, payoutFile(payouts(1)))
    const foreign = { clientId: live.clientId, id, actor: 'eve' }
    const { get, propose, approve, cancel, pause, resume, retryFailed, resultFile } = batches
    for (const verb of [get, propose, approve, cancel, pause, resume, retryFailed])
      await assert.rejects(async () => verb(foreign), /No batch found/)
    await assert.rejects(resultFile(foreign, 'fr'), /No batch found/)
    assert.deepEqual(await batches.lines(foreign, all), [])
  })

  it('pauses when the balance does not suffice, and goes on when it does', async () => {
    const { clientId } = await live.newMerchant(1000)
    const id = await approved(live, clientId, payouts(4))
    const paused = await until(id, 'paused')
    assert.equal(paused.reason?.text, 'The balance is too low for the next line')
    assert.equal(paused.refused + paused.failed, 0)
    await eventually(
      'the affordable line is counted',
      async () => (await batches.get(id)).paid === 1,
    )
    const funds = { clientId, amount: 5000, ref: 'more', now: systemClock.now(), actor: 'test' }
    await db.transaction((tx) => settle(tx, funds))
    await batches.resume({ ...id, actor: 'awa' })
    const finished = await until(id, 'finished')
    assert.deepEqual([finished.paid, await sumPaid(clientId)], [4, 2000])
  })

  it('pauses while a provider is down or its service is closed', async () => {
    const merchant = await live.newMerchant()
    const { clientId } = merchant
    const code = 'WALLETF_CI_CASHIN'
    const order = { actor: 'test', reason: 'test', scope: code, provider: 'WALLETF', country: 'CI' }
    /** Waits until both processes have seen that the service is closed, or open again. */
    const seen = (isAvailable: boolean) =>
      eventually(`${code} is ${isAvailable}`, async () => {
        const lists = await Promise.all(
          [live, elsewhere].map(({ url }) =>
            call({ url, secret: merchant.secret }, 'GET /api/v1/api-services/services'),
          ),
        )
        return lists.every(({ body }) =>
          body.services.some(
            (one: { serviceCode: string; available: boolean }) =>
              one.serviceCode === code && one.available === isAvailable,
          ),
        )
      })
    const ways = [
      { close: startMaintenance, open: endMaintenance, sentence: 'is under maintenance' },
      { close: pauseProvider, open: resumeProvider, sentence: 'is not available right now' },
    ]
    for (const { close, open, sentence } of ways) {
      await close({ db, clock: systemClock }, order)
      await seen(false)
      const lines = [`0707070707;500;${code};A`, `0707070708;500;${code};B`]
      const id = await approved(live, clientId, lines)
      const { reason, waiting } = await until(id, 'paused')
      assert.equal(reason && fillIn(reason.text, reason.values), `The service ${code} ${sentence}`)
      assert.equal(waiting, 2)
      await open({ db, clock: systemClock }, order)
      await seen(true)
      await batches.resume({ ...id, actor: 'awa' })
      assert.equal((await until(id, 'finished')).paid, 2)
    }
  })

  it('sends nothing more once it is paused, and never after it was cancelled', async () => {
    const { clientId } = await live.newMerchant()
    const id = await approved(live, clientId, payouts(120))
    await eventually('some are sent', async () => (await batches.get(id)).waiting < 120)
    const paused = await batches.pause({ ...id, actor: 'awa' })
    assert.ok(paused.waiting > 0, 'it was paused in the middle')
    await assert.rejects(batches.pause({ ...id, actor: 'awa' }), /The batch is paused/)
    await eventually(
      'the lines on their way have ended',
      async () => (await batches.get(id)).open === 0,
    )
    assert.equal((await batches.get(id)).waiting, paused.waiting)
    await batches.cancel({ ...id, actor: 'awa' })
    await assert.rejects(batches.resume({ ...id, actor: 'awa' }), /The batch is cancelled/)
    const unsent = await batches.lines(id, { ...all, states: ['waiting'] })
    assert.equal(unsent.length, paused.waiting)
    const [row] = await db<{ made: number }>`
      select count(*) as made from transactions where client_id = ${clientId}`
    assert.equal(row?.made, 120 - unsent.length)
  })

  it("refuses a line whose id is another payment's, and never retries it", async () => {
    const merchant = await live.newMerchant()
    const { clientId } = merchant
    const header = 'Numéro;Montant;Service;Identifiant'
    const batch = await upload(
      live,
      clientId,
      payoutFile([`771234567;500;${wallet};salary-7`], header),
    )
    await call(
      { ...live, ...merchant },
      'POST /api/v1/transaction/init',
      initBody({ serviceCode: wallet, externalTransactionId: 'salary-7', amount: 500 }),
    ) // prettier-ignore
    await batches.propose({ ...batch, actor: 'awa' })
    await batches.approve({ ...batch, actor: 'binta' })
    assert.equal((await until(batch, 'finished')).refused, 1)
    const [line] = await batches.lines(batch, all)
    assert.equal(line?.refusal?.[0]?.text, 'The external id {id} is already used')
    await assert.rejects(batches.retryFailed({ ...batch, actor: 'awa' }), /No line .* has failed/)
    assert.equal((await batches.get(batch)).state, 'finished')
  })

  it('retries a line under the next id that no other payment and no other line has', async () => {
    const merchant = await live.newMerchant()
    const header = 'Numéro;Montant;Service;Identifiant'
    const lines = [`770000001;500;${wallet};rent`, `771234567;501;${wallet};rent-3`]
    const batch = await upload(live, merchant.clientId, payoutFile(lines, header))
    const taken = initBody({ serviceCode: wallet, externalTransactionId: 'rent-2', amount: 500 })
    await call({ ...live, ...merchant }, 'POST /api/v1/transaction/init', taken)
    await batches.propose({ ...batch, actor: 'awa' })
    await batches.approve({ ...batch, actor: 'binta' })
    for (const attempt of [1, 4, 5]) {
      const { failed, refused } = await until(batch, 'finished')
      assert.deepEqual([failed, refused], [1, 0])
      const [line] = await batches.lines(batch, { ...all, states: ['failed'] })
      assert.equal(line?.attempt, attempt)
      await batches.retryFailed({ ...batch, actor: 'awa' })
    }
    await until(batch, 'finished')
  })

  it('has another mark with each step of its progress, whichever process makes it', async () => {
    const { clientId } = await live.newMerchant()
    const id = await approved(live, clientId, payouts(90))
    const marks = new Set<string>()
    await eventually('it has finished', async () => {
      marks.add(await markOf(id))
      return (await elsewhere.batches.get(id)).state === 'finished'
    })
    const last = await markOf(id)
    assert.ok(marks.add(last).size >= 3, [...marks].join(', '))
    assert.equal(await markOf(id), last)
    assert.equal((await elsewhere.batches.get(id)).paid, 90)
  })

  it('is counted and ended for a page that asks when its next step is far away', async () => {
    const { clientId } = await live.newMerchant()
    const number = '771239001'
    await script(live, number, [{ do: 'delay', ms: 600_000 }, { do: 'succeed' }], true)
    const id = await approved(live, clientId, [`${number};500;${wallet};Awa`])
    await eventually('it is sent', async () => {
      const lines = await batches.lines(id, { ...all, states: ['sent'] })
      return lines.length === 1
    })
    await db`update batches set due_at = now() + interval '1 hour' where id = ${id.id}`
    await post(`${live.lab.url}/lab/continue`, { number })
    await eventually('it has finished', async () => {
      await markOf(id)
      return (await elsewhere.batches.get(id)).state === 'finished'
    })
    const { paid, open, dueAt } = await batches.get(id)
    assert.deepEqual([paid, open, dueAt], [1, 0, null])
  })

  it('shows what is paid while another line waits for its provider', async () => {
    const { clientId } = await live.newMerchant()
    const number = '771239002'
    const late = [{ do: 'succeed' }, { do: 'delay', ms: 600_000 }, { do: 'answer' }]
    await script(live, number, late, true)
    const id = await approved(live, clientId, [...payouts(3), `${number};500;${wallet};Awa`])
    await eventually('three are paid while one is being sent', async () => {
      const [sending, paid] = await Promise.all(
        (['sending', 'paid'] as const).map((state) =>
          batches.lines(id, { ...all, states: [state] }),
        ),
      )
      return sending?.length === 1 && paid?.length === 3
    })
    await until(id, 'finished')
  })
})

it('leaves the books in order', async () => {
  await assertMoney(live)
})

/** As a page that is open asks for it. */
async function markOf({ clientId, id }: BatchId): Promise<string> {
  const key = `${clientId} ${id}`
  return (await elsewhere.batches.marks([key])).get(key) ?? ''
}

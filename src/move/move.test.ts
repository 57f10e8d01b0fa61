import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cell } from '../../test/cells.ts'
import {
  assertBothSound,
  killAt,
  movesOf,
  refusalOfKey,
  token,
  twoCells,
} from '../../test/cells.ts'
import { newLink } from '../../test/links.ts'
import { balance, call, collected, initBody, isEnd, post, script, until } from '../../test/live.ts'
import { usualTest as it, sized } from '../../test/size.ts'
import { eventually } from '../../test/wait.ts'
import { settle } from '../ledger/settlement.ts'
import { countChanges } from './capture-store.ts'
import { completeDecided } from './complete.ts'
import type { MoveStep } from './mover.ts'
import { readClientTables } from './shape-store.ts'
import { movedTables, unmovedTables } from './tables.ts'

const { source, target } = await twoCells()

/** A merchant with something in nearly every table: ended, open, refused, linked. */
async function busyMerchant(cell: Cell) {
  const merchant = { ...(await cell.newMerchant()), url: cell.url }
  const gateway = { ...cell, ...merchant }
  const paid = await collected(gateway)
  const payout = initBody({ serviceCode: 'WALLETA_SN_CASHIN', amount: 700 })
  const sent = await call(merchant, 'POST /api/v1/transaction/init', payout, {
    'Idempotency-Key': 'payout-1',
  })
  const payoutId = String(sent.body.transaction.transactionId)
  assert.equal(await until(merchant, payoutId, isEnd), 'SUCCESS')
  const failing = initBody({ number: '770000001' })
  const failed = await call(merchant, 'POST /api/v1/transaction/init', failing)
  await until(merchant, String(failed.body.transaction.transactionId), isEnd)
  const shop = { name: 'Boutique', commercialName: 'Boutique', countries: ['SN'] }
  await call(merchant, 'POST /api/v1/sub-merchant', shop)
  const { callBackURL, successUrl, failureUrl, externalTransactionId } = initBody()
  const link = await call(merchant, 'POST /api/v1/transaction/merchant/get-link', {
    externalTransactionId,
    ItemName: 'Panier',
    ItemPrice: 7500,
    callBackURL,
    successUrl,
    failureUrl,
  })
  assert.equal(link.status, 201, link.text)
  return { ...merchant, paid, payout, payoutId, sentText: sent.text, link: link.body }
}

describe('tables of a move', () => {
  it('moves every table of a client, or says why not', async () => {
    const named = [...movedTables.map(({ name }) => name), ...Object.keys(unmovedTables)]
    const known = await readClientTables(source.db)
    assert.ok(known.length > 30)
    assert.deepEqual(
      known.filter((name) => !named.includes(name)),
      [],
    )
    assert.equal(new Set(named).size, named.length)
  })
})

describe('an idle client', () => {
  it('moves with everything it owns, and both cells stay sound', async () => {
    const merchant = await busyMerchant(source)
    const { clientId, secret } = merchant
    const moves = movesOf({ from: source, to: target, clientId })
    const balanceBefore = await balance(merchant)
    const feed = await call(merchant, 'GET /api/v1/events?limit=1')

    const moved = await moves.begin()
    assert.ok(moved.comparedRows > 30, JSON.stringify(moved))

    const there = { url: target.url, secret }
    assert.equal(await balance(there), balanceBefore)
    const look = await call(there, `GET /api/v1/transaction/${merchant.paid}`)
    assert.equal(look.body.transaction.Status, 'SUCCESS')
    // The remembered answer, sealed by the other cell's key, byte for byte.
    const again = await call(there, 'POST /api/v1/transaction/init', merchant.payout, {
      'Idempotency-Key': 'payout-1',
    })
    assert.equal(again.text, merchant.sentText)
    // A reader of the feed goes on where it was.
    const { next } = feed.body
    const rest = await call(there, `GET /api/v1/events?after=${next}`)
    assert.equal(rest.body.events.length, 2, rest.text)
    const gone = await refusalOfKey(merchant)
    assert.equal(gone.status, 421)
    assert.equal(gone.body.code, 'WRONG_CELL')
    assert.ok(gone.text.includes(target.url), gone.text)

    const heads = ({ db }: Cell) => db`
      select kind, balance, version, encode(head, 'hex') as head from ledger_accounts
      where client_id = ${clientId} order by kind`
    assert.deepEqual(await heads(target), await heads(source))
    await collected({ ...target, ...there, clientId })
    await assertBothSound(source, target)
  })
})

const init = 'POST /api/v1/transaction/init'

describe('a client at work', () => {
  it('is moved while payments come: each that was acknowledged is there once', async () => {
    const merchant = await source.newMerchant()
    const { clientId, secret } = merchant
    let isOver = false
    let cell: { url: string } = source
    const statuses = new Set<number>()
    const acknowledged: string[] = []
    const pay = async () => {
      while (!isOver) {
        const order = initBody({ serviceCode: 'WALLETA_SN_CASHIN', amount: 500 })
        const startedMs = performance.now()
        // The same order until it is taken, as a merchant's program does.
        for (let taken = false; !taken; ) {
          const answer = await call({ url: cell.url, secret }, init, order)
          statuses.add(answer.status)
          if (answer.status === 421) cell = target
          taken = answer.status === 201 || answer.status === 409
        }
        acknowledged.push(order.externalTransactionId)
        // Slower on a slow machine, which copies as slowly: else no copy would catch up.
        await sleep(20 + 4 * (performance.now() - startedMs))
      }
    }
    const payers = [pay(), pay()]
    await eventually('some are paid', () => acknowledged.length > 10)
    await movesOf({ from: source, to: target, clientId }).begin()
    const before = acknowledged.length
    await eventually('some are paid in the new cell', () => acknowledged.length > before + 5)
    isOver = true
    await Promise.all(payers)
    const stray = [...statuses].filter((one) => ![201, 409, 421, 503].includes(one))
    assert.deepEqual(stray, [])
    const there = { url: target.url, secret }
    await eventually('all have ended', async () => {
      const open = await target.db`
        select 1 from transactions where client_id = ${clientId} and completed_at is null`
      return open.length === 0
    })
    const [last = ''] = acknowledged.slice(-1)
    assert.equal(await until(there, last, isEnd), 'SUCCESS')
    await assertBothSound(source, target)
    const [executed] = await target.db<{ count: number }>`
      select count(*)::integer as count from transactions where client_id = ${clientId}`
    assert.equal(executed?.count, acknowledged.length)
    const books = await (await fetch(`${source.lab.url}/lab/books`)).json()
    const own = await target.db<{ id: string }>`
      select id from attempts where client_id = ${clientId}`
    const ids = new Set(own.map(({ id }) => id))
    const orders = (books as { orders: { key: string; executed: number }[] }).orders
    const ours = orders.filter(({ key }) => ids.has(key.slice(-36)))
    assert.equal(ours.length, acknowledged.length)
    assert.ok(ours.every(({ executed }) => executed === 1))
  })
})

describe('a client that changes much while it is compared', () => {
  it('is frozen with few changes left', async () => {
    const { clientId } = await source.newMerchant()
    const changes = { made: 0, left: -1 }
    const onStep = async (step: MoveStep) => {
      if (step === 'compare-changes') {
        await fundOften(clientId, 100)
        changes.made = await countChanges(source.db, clientId)
      }
      if (step === 'drain') changes.left = await countChanges(source.db, clientId)
    }
    await movesOf({ from: source, to: target, clientId, onStep }).begin()
    assert.ok(changes.made > 200, JSON.stringify(changes))
    assert.equal(changes.left, 0)
    await assertBothSound(source, target)
  })

  async function fundOften(clientId: number, times: number): Promise<void> {
    const now = new Date()
    for (let index = 0; index < times; index += 1) {
      const order = { clientId, amount: 5, ref: `fund ${index}`, now, actor: 'test' }
      await source.db.transaction((tx) => settle(tx, order))
    }
  }
})

describe('a freeze that does not come to its end', () => {
  it('lets the client go after four leases', async () => {
    const merchant = { ...(await source.newMerchant()), url: source.url }
    const { clientId } = merchant
    // As while the other cell does not answer.
    const onStep = async (step: MoveStep) => {
      if (step !== 'prepare') return
      await eventually('the client works on', async () => {
        return (await call(merchant, init, initBody())).status === 201
      })
    }
    const order = { from: source, to: target, clientId }
    // What the client does meanwhile may be found first.
    const refused = /The freeze ended before|differs in the two cells/
    await assert.rejects(movesOf({ ...order, onStep, leaseMs: 300 }).begin(), refused)
    await movesOf(order).resume()
    await assertBothSound(source, target)
  })
})

describe('what a client handed out', () => {
  it('is answered by 503 and a page that waits, then by the new cell', async () => {
    const merchant = { ...(await source.newMerchant()), url: source.url }
    const { clientId, secret } = merchant
    const number = '778640001'
    // Its payer answers when the client is gone.
    await script(source, number, [
      { do: 'delay', ms: 600_000 },
      { do: 'succeed' },
      { do: 'callback' },
    ])
    const sent = await call(merchant, init, initBody({ number }))
    const id = String(sent.body.transaction.transactionId)
    const page = `/pay/process/${await newLink(merchant)}`
    const look = (url: string) => fetch(url + page, { redirect: 'manual' })

    const onStep = async (step: MoveStep) => {
      if (step !== 'last-copy') return
      // What is known of a key is kept for half a second; writes are refused at once.
      const frozen = await eventually('the key is refused', async () => {
        const answer = await call(merchant, 'GET /api/v1/api-services/balance')
        return answer.status !== 200 && answer
      })
      assert.deepEqual([frozen.status, frozen.body.code], [503, 'CLIENT_MOVING'], frozen.text)
      assert.ok(Number(frozen.headers.get('retry-after')) > 0)
      const waiting = await look(source.url)
      assert.deepEqual([waiting.status, waiting.headers.get('retry-after')], [503, '2'])
      assert.match(await waiting.text(), /Un instant/)
      const refresh = waiting.headers.get('refresh')?.replace('2; url=', '') ?? ''
      assert.equal(new URL(refresh, source.url + page).pathname, page)
    }
    await movesOf({ from: source, to: target, clientId, onStep }).begin()

    const led = await look(source.url)
    assert.deepEqual([led.status, led.headers.get('location')], [307, target.url + page])
    const form = await fetch(`${source.url}${page}/review?lang=en`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: source.url },
      body: new URLSearchParams({ phone: number }),
    })
    // The page is opened there; what was to be paid is asked for again.
    const opened = [303, `${target.url}${page}?lang=en`]
    assert.deepEqual([form.status, form.headers.get('location')], opened)
    assert.match(await (await look(target.url)).text(), /Panier de légumes/)
    await post(`${source.lab.url}/lab/continue`, { number })
    await eventually('the callback is sent on', async () => {
      const metrics = await (await fetch(`${source.url}/metrics`)).text()
      return /^passerelle_callbacks_total\{.*result="sent_on".*\} 1$/m.test(metrics)
    })
    assert.equal(await until({ url: target.url, secret }, id, isEnd), 'SUCCESS')
    await assertBothSound(source, target)
  })
})

const beforeDecision: MoveStep[] = [
  'watch',
  'copy',
  'catch-up',
  'compare',
  'compare-changes',
  'drain',
  'freeze',
  'last-copy',
  'prepare',
  'compare-last',
  'decide',
]

describe('a command that is killed', () => {
  test('leaves the client at work where it was, before the decision', async () => {
    const steps = sized(['copy', 'last-copy', 'decide'] as MoveStep[], beforeDecision)
    const merchant = { ...(await source.newMerchant()), url: source.url }
    const { clientId, secret } = merchant
    const order = { from: source, to: target, clientId }
    for (const [index, step] of steps.entries()) {
      await killAt(order, step, index > 0)
      const there = await call({ url: target.url, secret }, 'GET /api/v1/api-services/balance')
      assert.ok([401, 503].includes(there.status), `${step}: ${there.text}`)
      // At once, or when the lease of the dead command has ended.
      const paid = await eventually(`payments after a kill at ${step}`, async () => {
        const { status, body } = await call(merchant, init, initBody())
        return status === 201 ? String(body.transaction.transactionId) : ''
      })
      assert.notEqual(paid, '')
    }
    await movesOf(order).undo()
    const left = await target.db<{ count: number }>`
      select (select count(*) from transactions where client_id = ${clientId})
        + (select count(*) from ledger_entries where client_id = ${clientId})
        + (select count(*) from clients where id = ${clientId}) as count`
    assert.equal(Number(left[0]?.count), 0)
    await movesOf(order).begin()
    assert.equal((await refusalOfKey(merchant)).status, 421)
    await assertBothSound(source, target)
  })

  it('leaves a client that is decided to the new cell, without a person', async () => {
    const { clientId, secret } = await source.newMerchant()
    const order = { from: source, to: target, clientId }
    await killAt(order, 'activate', false)
    await assert.rejects(movesOf(order).undo(), /has moved/)
    await completeDecided(source.db, token)
    assert.equal(await balance({ url: target.url, secret }), 5_000_000)
    await completeDecided(source.db, token)
    await assertBothSound(source, target)
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Cell } from '../../test/cells.ts'
import { assertBothSound, movesOf, twoCells } from '../../test/cells.ts'
import { balance, call, collected, initBody, isEnd, until } from '../../test/live.ts'
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
    const { cursor } = feed.body
    const rest = await call(there, `GET /api/v1/events?after=${cursor}`)
    assert.equal(rest.body.events.length, 2, rest.text)
    const gone = await call(merchant, 'GET /api/v1/api-services/balance')
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

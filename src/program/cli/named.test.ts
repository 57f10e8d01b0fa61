import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'

import { addPerson } from '#test/dashboard.ts'
import { call, initBody, liveGateway, script } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { assertRefused, commandLine, dataFolder } from '#test/program.ts'
import { pageByDatabase } from './developer/find-page.ts'

const gateway = await liveGateway()
const { db, databaseUrl } = gateway
const by = await addPerson({ db }, { operatorRole: 'operator' })
const environment = { DATABASE_URL: databaseUrl, DATA_DIR: await dataFolder() }
const passerelle = commandLine(environment, undefined, by)
const [one, other] = [await gateway.newMerchant(0), await gateway.newMerchant(0)]
let count = 0

/** A payment that no evidence ends. */
async function stuck(
  merchant: { clientId: number; secret: string },
  externalTransactionId: string,
): Promise<string> {
  count += 1
  const number = String(779_000_000 + count)
  await script(gateway, number, [])
  const body = initBody({ number, externalTransactionId })
  const answer = await call({ ...gateway, ...merchant }, 'POST /api/v1/transaction/init', body)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.transaction.transactionId
}

const resolve = (id: string, more = '') =>
  passerelle.run(`transaction resolve ${id} --as failed --reason seen ${more}`)

const statusOf = async (id: string) => {
  const [row] = await db<{ status: string }>`select status from transactions where id = ${id}`
  return row?.status
}

describe('a transaction that is named on the command line', () => {
  it('by our id is that one, also where an older client calls its own so', async () => {
    const id = await stuck(other, 'mine')
    const decoy = await stuck(one, id)
    assert.equal((await passerelle.json(`transaction show ${id}`)).transaction.id, id)
    const path = `/dashboard/ops/transactions/${id}`
    await stuck(one, id.toUpperCase())
    for (const text of [id, id.toUpperCase()])
      assert.deepEqual(await pageByDatabase(gateway, text), { kind: 'transaction', path })
    const { code, stderr } = await resolve(id)
    assert.deepEqual([code, stderr], [0, ''])
    assert.deepEqual([await statusOf(id), await statusOf(decoy)], ['FAILED', 'PENDING'])
  })

  it('by an id of several clients is refused with the choices, and taken with one', async () => {
    const ids = [await stuck(one, 'order-1042'), await stuck(other, 'order-1042')]
    const choices = ids.join('.* · ')
    assertRefused(await resolve('order-1042'), new RegExp(`name its client too.*${choices}`))
    assertRefused(await passerelle.run('transaction show order-1042'), /name its client too/)
    const { code } = await resolve('order-1042', `--client ${other.clientId}`)
    assert.equal(code, 0)
    assert.deepEqual(
      [await statusOf(ids[0] ?? ''), await statusOf(ids[1] ?? '')],
      ['PENDING', 'FAILED'],
    )
    // One bearer alone may be read, and is not acted on.
    const alone = await stuck(one, 'order-7')
    assert.equal((await passerelle.json('transaction show order-7')).transaction.id, alone)
    assertRefused(await resolve('order-7'), new RegExp(`name its client too.*${alone}`))
    assertRefused(await resolve('order-7', `--client ${other.clientId}`), /No transaction found/)
    assert.equal(await statusOf(alone), 'PENDING')
  })
})

test('the money holds', () => assertMoney(gateway))

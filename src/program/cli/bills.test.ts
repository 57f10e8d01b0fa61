import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { newId } from '#base/kit/ids.ts'
import { pay, payBody, topUpBody } from '#test/bills.ts'
import { addPerson } from '#test/dashboard.ts'
import { call, contentsOf, liveGateway, script } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { assertRefused, commandLine, dataFolder } from '#test/program.ts'
import { openReceiver } from '#test/receiver.ts'

const caller = await liveGateway()
const { db, databaseUrl } = caller
const owner = caller.connect({ asOwner: true })
const environment = { DATABASE_URL: databaseUrl, DATA_DIR: await dataFolder() }
const by = await addPerson({ db }, { operatorRole: 'operator' })
const passerelle = commandLine(environment, undefined, by)
const receiver = await openReceiver(({ body }, response) => response.end(body))
const codes = '1111-2222-3333-4444-5555 0000-9999-8888-7777-6666'

describe('passerelle transaction, for bills', () => {
  it('show prints the timeline of a bill payment', async () => {
    const { body } = await pay(caller, payBody({ externalTransactionId: 'cli-water' }))
    assert.equal(body.transaction.Status, 'SUCCESS')
    const text = await passerelle.text('transaction show cli-water')
    for (const part of [/BILL WATER_SN_BILL/, /answer: succeeded/, /money hold/, /money capture/])
      assert.match(text, part)
    assert.match(text, /status PROCESSING → SUCCESS \(biller_succeeded\)/)
  })

  it('resolve takes recharge codes from standard input and prints none', async () => {
    await script(caller, '200000001', [])
    const order = { externalTransactionId: 'cli-meter', callBackURL: receiver.url }
    const { transaction } = (await pay(caller, topUpBody(order))).body
    assert.equal(transaction.Status, 'PROCESSING')
    const named = `cli-meter --client ${caller.clientId}`
    const args = `transaction resolve ${named} --as success --reason seen --token -`
    const { code, stderr, stdout } = await passerelle.run(args, {}, `${codes}\n`)
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /SUCCESS/)
    assert.doesNotMatch(stdout, /\d{4}-\d{4}-\d{4}-\d{4}-\d{4}/)
    const looked = await call(caller, 'GET /api/v1/transaction/cli-meter')
    assert.equal(looked.body.transaction.token, codes)
    const [got] = await receiver.has(1)
    assert.equal(JSON.parse(got?.body ?? '{}').TOKEN, codes)
  })
})

describe('recharge codes', () => {
  it('are hidden when an event is shown, also in the answer of its receiver', async () => {
    const [row] = await db<{ id: string }>`select id from events where body like 'sealed:%'`
    const { event, attempts } = await passerelle.json(`webhook show ${row?.id}`)
    assert.match(event.TOKEN, /^[* -]+$/)
    assert.match(attempts[0].excerpt, /"TOKEN":"[* -]+"/)
  })

  it('are nowhere in clear in the database', async () => {
    const all = JSON.stringify(await contentsOf(owner))
    for (const code of codes.split(' ')) assert.ok(!all.includes(code))
  })

  it('cannot be opened with another SECRET_KEY, and the refusal says why', async () => {
    const [row] = await db<{ id: string }>`
      select id from events where body like 'sealed:%' order by position limit 1`
    const other = { SECRET_KEY: randomBytes(32).toString('base64') }
    assertRefused(
      await passerelle.run(`webhook show ${row?.id}`, other),
      /^passerelle: What was sealed cannot be opened: SECRET_KEY is not the one/,
    )
  })
})

describe('passerelle verify', () => {
  it('finds a paid bill without a claim, and a claim without a payment', async () => {
    assert.deepEqual((await passerelle.json('verify')).breaks, [])
    await owner`
      update bill_claims set transaction_id = ${newId(new Date())}
      where bill_reference in (
        select bill_reference from transactions where external_id = 'cli-water')`
    const { code, stdout } = await passerelle.run('verify --json')
    const breaks: { promise: string; what: string }[] = JSON.parse(stdout).breaks
    assert.equal(code, 1)
    const found = breaks.map(({ promise, what }) => `${promise} ${what}`)
    assert.deepEqual(found.toSorted(), [
      'bill is SUCCESS and has no claim on its bill',
      'bill is claimed by a payment that does not exist',
    ])
    await owner`
      update bill_claims b set transaction_id = t.id
      from transactions t where t.bill_reference = b.bill_reference`
  })
})

it('the ledger holds after these commands', () => assertMoney({ db }))

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, call, collected, contentsOf, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, proxy, url, newMerchant } = gateway
const init = 'POST /api/v1/transaction/init'
// The internal name of every sub-merchant here, which only the merchant may see.
const internal = 'zq-internal-name'

type Caller = { url: string; secret: string }

async function makeShop(caller: Caller, commercialName: string, ...countries: string[]) {
  const body = { name: internal, commercialName, countries, description: internal }
  const answer = await call(caller, 'POST /api/v1/sub-merchant', body)
  assert.equal(answer.status, 201)
  return String(answer.body.data.subMerchantId)
}

function change(caller: Caller, id: string, json: object): Promise<Answer> {
  return call(caller, `PATCH /api/v1/sub-merchant/${id}`, json)
}

/** A merchant with a default shop in Senegal, another abroad, and one that is not active. */
async function newShops() {
  const caller = { url, ...(await newMerchant()) }
  const usual = await makeShop(caller, "Awa's fabrics", 'SN')
  const abroad = await makeShop(caller, 'Awa Abidjan', 'CI', 'CM')
  const closed = await makeShop(caller, 'Awa closed', 'SN')
  await call(caller, `DELETE /api/v1/sub-merchant/${closed}`)
  return { caller, usual, abroad, closed }
}

/** The payee names that the provider of a payment was sent, for the payer's screen. */
async function namesSentFor(caller: Caller, sent: object): Promise<string[]> {
  const from = proxy.bodies.length
  const answer = await call(caller, init, initBody(sent))
  assert.equal(answer.status, 201, answer.text)
  const names = proxy.bodies.slice(from).flatMap((body) => {
    if (!body.startsWith('{')) return []
    const { descriptionText, payeeNote, payerMessage, aggregated_merchant_id, store, invoice } =
      JSON.parse(body)
    const page = [aggregated_merchant_id, store?.name, invoice?.description]
    return [descriptionText, payeeNote, payerMessage, ...page].filter((name) => name !== undefined)
  })
  return [...new Set(names)]
}

describe('the payee name that the payer sees', async () => {
  const { caller, usual, abroad } = await newShops()
  const [own] = await db<{ name: string }>`
    select c.name from clients c join sub_merchants s on s.client_id = c.id where s.id = ${usual}`
  const itself = own?.name ?? ''

  // service, sub-merchant of the request, name in the prompt
  const table: [serviceCode: string, id: string | undefined, name: string][] = [
    ['WALLETA_SN_CASHOUT', usual, "Awa's fabrics"],
    ['WALLETB_SN_CASHOUT', usual, "Awa's fabrics"],
    ['WALLETD_SN_CASHOUT', usual, "Awa's fabrics"],
    ['WALLETF_CI_CASHOUT', abroad, 'Awa Abidjan'],
    ['WALLETA_CM_CASHOUT', abroad, 'Awa Abidjan'],
    ['WALLETA_SN_CASHIN', usual, "Awa's fabrics"],
    ['WALLETA_ML_CASHOUT', usual, "Awa's fabrics"],
    ['WALLETE_ML_CASHOUT', abroad, 'Awa Abidjan'],
    ['WALLETA_SN_CASHOUT', undefined, "Awa's fabrics"],
    ['WALLETB_SN_CASHOUT', undefined, "Awa's fabrics"],
    ['WALLETA_ML_CASHOUT', undefined, "Awa's fabrics"],
    // The default sub-merchant does not serve this country.
    ['WALLETF_CI_CASHOUT', undefined, itself],
  ]
  for (const [serviceCode, id, name] of table)
    it(`is ${name} for ${serviceCode} with ${id ? 'its id' : 'no id'}`, async () => {
      const named = id === undefined ? {} : { sub_merchant_id: id }
      assert.deepEqual(await namesSentFor(caller, { serviceCode, ...named }), [name])
    })

  it("is the merchant's own when there are no sub-merchants", async () => {
    const { secret, clientId } = await newMerchant()
    const [client] = await db<{ name: string }>`select name from clients where id = ${clientId}`
    assert.deepEqual(await namesSentFor({ url, secret }, {}), [client?.name])
  })

  it('is on the page of a wallet that has one', async () => {
    const sent = { serviceCode: 'WALLETB_SN_CASHOUT', number: '770000004', sub_merchant_id: usual }
    const { body } = await call(caller, init, initBody(sent))
    const page = await (await fetch(body.transaction.cashout_url)).text()
    assert.match(page, /Awa(&#39;|&#x27;|&apos;|')s fabrics/)
    assert.ok(!page.includes(internal))
  })

  it('is the new one right after a change', async () => {
    const { caller, usual, abroad } = await newShops()
    const named = { sub_merchant_id: usual }
    assert.deepEqual(await namesSentFor(caller, named), ["Awa's fabrics"])
    await change(caller, usual, { commercialName: 'Chez Awa' })
    assert.deepEqual(await namesSentFor(caller, named), ['Chez Awa'])
    assert.deepEqual(await namesSentFor(caller, {}), ['Chez Awa'])
    await change(caller, abroad, { isDefault: true, countries: ['SN'] })
    assert.deepEqual(await namesSentFor(caller, {}), ['Awa Abidjan'])
    assert.deepEqual(await namesSentFor(caller, named), ['Chez Awa'])
  })

  it('is right for a sub-merchant that another process has just created', async () => {
    const caller = { url, ...(await newMerchant()) }
    const other = await gateway.newProcess()
    for (const name of ['First', 'Second', 'Third']) {
      const id = await makeShop({ ...caller, url: other.url }, name, 'SN')
      assert.deepEqual(await namesSentFor(caller, { sub_merchant_id: id }), [name])
    }
  })
})

describe('a sub-merchant that a payment cannot name', async () => {
  const { caller, usual, abroad, closed } = await newShops()
  const theirs = await newShops()
  const unknown = 'sub_merchant_id is not a sub-merchant of yours'
  const inactive = 'sub_merchant_id is a sub-merchant that is not active'
  const serving = (country: string) =>
    `sub_merchant_id is a sub-merchant that does not serve ${country}`

  // name, sub-merchant, service, sentence
  const table: [name: string, id: string, serviceCode: string, sentence: string][] = [
    ['unknown', 'sm-000000000000', 'WALLETA_SN_CASHOUT', unknown],
    ["another merchant's", theirs.usual, 'WALLETA_SN_CASHOUT', unknown],
    ["another merchant's, not active", theirs.closed, 'WALLETA_SN_CASHOUT', unknown],
    ["another merchant's, elsewhere", theirs.abroad, 'WALLETA_SN_CASHOUT', unknown],
    ['not active', closed, 'WALLETA_SN_CASHOUT', inactive],
    ['not active, elsewhere', closed, 'WALLETF_CI_CASHOUT', inactive],
    ['not active, in Mali', closed, 'WALLETA_ML_CASHOUT', inactive],
    ['elsewhere', usual, 'WALLETF_CI_CASHOUT', serving('CI')],
    ['elsewhere, for a payout', usual, 'WALLETB_CI_CASHIN', serving('CI')],
    ['elsewhere, too', usual, 'WALLETA_CM_CASHOUT', serving('CM')],
    ['elsewhere, for airtime', abroad, 'OPERATOR1_SN_AIRTIME', serving('SN')],
  ]
  for (const [name, id, serviceCode, sentence] of table)
    it(`(${name}) is refused: ${sentence}`, async () => {
      const { status, body } = await call(
        caller,
        init,
        initBody({ serviceCode, sub_merchant_id: id }),
      )
      assert.deepEqual([status, body.code], [400, 'VALIDATION_FAILED'])
      assert.deepEqual([body.message, body.param], [[sentence], 'sub_merchant_id'])
    })

  it('is refused together with the other faults of the body', async () => {
    const sent = initBody({ amount: 1, number: 'x', callBackURL: 'y', sub_merchant_id: closed })
    assert.deepEqual((await call(caller, init, sent)).body.message, [
      'number must be exactly 9 digits, without country code',
      'amount must be a whole number from 200 to 1000000',
      'callBackURL must be a full http or https address',
      inactive,
    ])
    const nowhere = initBody({ serviceCode: 'nothing', sub_merchant_id: 'sm-000000000000' })
    assert.deepEqual((await call(caller, init, nowhere)).body.message, [
      'serviceCode is not an existing service',
      unknown,
    ])
  })

  it('is refused in French to a French caller', async () => {
    const french = { 'Accept-Language': 'fr' }
    for (const [id, sentence] of [
      ['sm-000000000000', "sub_merchant_id n'est pas un de vos points de vente"],
      [closed, "sub_merchant_id est un point de vente qui n'est pas actif"],
      [abroad, 'sub_merchant_id est un point de vente qui ne sert pas SN'],
    ] as const) {
      const answer = await call(caller, init, initBody({ sub_merchant_id: id }), french)
      assert.deepEqual(answer.body.message, [sentence])
    }
  })

  it('leaves no record, and can be named once it is active again', async () => {
    const sent = initBody({ sub_merchant_id: closed })
    assert.equal((await call(caller, init, sent)).status, 400)
    await change(caller, closed, { isActive: true })
    assert.equal((await call(caller, init, sent)).status, 201)
  })
})

describe('the internal name of a sub-merchant', () => {
  it('appears in no answer, event or provider request, and in no other table', async () => {
    const { caller, usual } = await newShops()
    const hook = `${url}/nowhere`
    const paid = { sub_merchant_id: usual, callBackURL: hook }
    const id = await collected({ ...gateway, ...caller }, paid)
    const answers = [
      await call(caller, init, initBody(paid)),
      await call(caller, `GET /api/v1/transaction/${id}`),
      await call(caller, 'GET /api/v1/events'),
      await call(caller, 'GET /api/v1/api-services/services'),
      await call(caller, `POST /api/v1/transaction/refund/${id}`),
    ]
    for (const { status, text } of answers) {
      assert.ok(status < 300, text)
      assert.ok(!text.includes(internal), text)
    }
    assert.ok(proxy.bodies.length > 20)
    assert.ok(!proxy.bodies.some((body) => body.includes(internal)))
    const { sub_merchants: own = [], ...rest } = await contentsOf(db)
    assert.ok(own.every((row) => row.includes(internal)))
    assert.ok(!JSON.stringify(rest).includes(internal))
  })
})

it('the ledger holds after these payments', () => assertMoney(gateway))

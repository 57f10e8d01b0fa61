import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { endMaintenance, startMaintenance } from '#merchants/catalog/maintenance.ts'
import { changeClient } from '#merchants/clients/clients.ts'
import type { MerchantStatus } from '#merchants/clients/statuses.ts'
import { type Answer, assertGeneralError, testGateway } from '#test/app.ts'
import { jsonWith, sentAsNumber } from '#test/json-text.ts'
import { linkBody, linkOf, getLink as target } from '#test/links.ts'
import { eventually } from '#test/wait.ts'

const gateway = await testGateway()
const { db, clock, merchant, newKey } = gateway
const app = await gateway.start({ environment: { PAY_URL: 'https://pay.example/caisse' } })

/** A new merchant without links. */
async function newMerchant(change: Partial<Parameters<typeof changeClient>[1]['change']> = {}) {
  const clientId = await merchant(0)
  if (Object.keys(change).length > 0)
    await changeClient({ db, clock }, { id: clientId, change, actor: 'test' })
  const { secret: key } = await newKey(clientId, { ratePerMinute: 100_000 })
  const create = (body: object, headers = {}) => app.send(target, { key, json: body, headers })
  return { clientId, key, create }
}

/** Sends a valid body with the JSON text of one field replaced, or without the field. */
function sendRaw(field: string, value?: string): Promise<Answer> {
  return app.send(target, { body: jsonWith(linkBody(), field, value) })
}

/** The stored link of an answer that created one. */
async function createdLink(answer: Answer) {
  assert.equal(answer.status, 201, answer.text)
  return linkOf(db, String(answer.body.transactionId))
}

function mailsOf(clientId: number) {
  return db<{ recipient: string; state: string; language: string; subject: string; text: string }>`
    select recipient, state, language, subject, text_body as text from mails
    where client_id = ${clientId} order by created_at`
}

describe('a new link', () => {
  it('is answered with its fields at the top level, and again under transaction', async () => {
    const body = linkBody()
    const answer = await app.send(target, { json: body })
    assert.equal(answer.status, 201, answer.text)
    const { transactionId } = answer.body
    assert.match(String(transactionId), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    const link = {
      success: true,
      transactionId,
      PaymentUrl: `https://pay.example/caisse/process/${String(transactionId)}`,
      externalTransactionId: body.externalTransactionId,
      Status: 'PENDING',
    }
    const message = 'Payment link created successfully'
    assert.deepEqual(answer.body, { message, ...link, transaction: link })
  })

  it('has an id of 128 random bits', async () => {
    const ids = []
    for (let times = 0; times < 200; times += 1)
      ids.push(String((await app.send(target, { json: linkBody() })).body.transactionId))
    const bits = ids.map((id) => BigInt(`0x${id.replaceAll('-', '')}`))
    // Each bit is set in about half of the ids: none is part of a version, a time or a counter.
    for (let bit = 0n; bit < 128n; bit += 1n) {
      const set = bits.filter((one) => (one >> bit) & 1n).length
      assert.ok(set > 60 && set < 140, `bit ${bit} is set ${set} times of 200`)
    }
    assert.equal(new Set(ids).size, 200)
  })

  it('stores the known fields as they are, without outer spaces, and no others', async () => {
    const customData = ' {"cart" : [1, 1.0, "é😀\\u0000"], "cart":1e2} '
    const body = linkBody({
      ItemName: ' Sac « Été » <b> ',
      customData,
      ClientName: ' Awa Ndiaye ',
      ClientPhone: '+221 77 123 45 67',
      Email: 'awa@shop.example',
      language: 'en',
      marker: 'never-to-be-kept',
    })
    const link = await createdLink(await app.send(target, { json: body }))
    const { itemName, customerName, customerPhone, customerEmail, language } = link
    assert.deepEqual(
      { itemName, customerName, customerPhone, customerEmail, language },
      {
        itemName: 'Sac « Été » <b>',
        customerName: 'Awa Ndiaye',
        customerPhone: '+221 77 123 45 67',
        customerEmail: 'awa@shop.example',
        language: 'en',
      },
    )
    assert.equal(link.customData, customData)
    assert.deepEqual(
      [link.callbackUrl, link.successUrl, link.failureUrl],
      [body.callBackURL, body.successUrl, body.failureUrl],
    )
    assert.ok(!JSON.stringify(link).includes('never-to-be-kept'))
    assert.deepEqual([link.status, link.attempts, link.openId, link.paidId], start)
  })
  const start = ['PENDING', 0, null, null]

  it('takes a number as external id, a price as text and empty optional fields', async () => {
    const sent = { externalTransactionId: 1042, ItemPrice: '5000.00', customData: '', Email: null }
    const link = await createdLink(await app.send(target, { json: linkBody(sent) }))
    assert.deepEqual([link.externalId, link.amount], ['1042', 5000])
    assert.deepEqual([link.customData, link.customerEmail], [null, null])
  })

  it('treats a blank optional field as left out', async () => {
    const blank = { ClientName: ' ', ClientPhone: '', Email: ' ' }
    const link = await createdLink(await app.send(target, { json: linkBody(blank) }))
    assert.deepEqual([link.customerName, link.customerPhone, link.customerEmail], nothing)
  })
  const nothing = [null, null, null]

  // change of a valid body, lifetime in seconds
  const lifetimes: [object, number][] = [
    [{}, 86_400],
    [{ expiresIn: 300 }, 300],
    [{ expiresIn: 2_592_000 }, 2_592_000],
  ]
  for (const [sent, seconds] of lifetimes)
    it(`expires after ${seconds} s with ${JSON.stringify(sent)}`, async () => {
      const link = await createdLink(await app.send(target, { json: linkBody(sent) }))
      const expiresAt = new Date(clock.now().getTime() + seconds * 1000)
      assert.deepEqual(
        [link.createdAt, link.expiresAt, link.dueAt],
        [clock.now(), expiresAt, expiresAt],
      )
    })

  it("has the client's lifetime, unless the request has its own", async () => {
    const { create } = await newMerchant({ linkLifetimeS: 3600 })
    const usual = await createdLink(await create(linkBody()))
    assert.equal(usual.expiresAt.getTime() - usual.createdAt.getTime(), 3_600_000)
    const own = await createdLink(await create(linkBody({ expiresIn: 900 })))
    assert.equal(own.expiresAt.getTime() - own.createdAt.getTime(), 900_000)
  })

  for (const path of ['/v1/transaction/merchant/get-link', '/transaction/merchant/get-link'])
    it(`can be created at ${path}`, async () => {
      assert.equal((await app.send(`POST ${path}`, { json: linkBody() })).status, 201)
    })

  it('is created once under an Idempotency-Key', async () => {
    const { create, clientId } = await newMerchant({ email: 'shop@shop.example' })
    const body = linkBody()
    const headers = { 'idempotency-key': 'link-1' }
    const first = await create(body, headers)
    const again = await create(body, headers)
    assert.deepEqual([again.status, again.text], [201, first.text])
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.equal((await create({ ...body, ItemPrice: 100 }, headers)).status, 422)
    assert.equal((await mailsOf(clientId)).length, 1)
  })
})

describe('the payee name of a link', async () => {
  const shops = await newMerchant()
  const shop = async (commercialName: string, ...countries: string[]): Promise<string> => {
    const json = { name: 'inside', commercialName, countries }
    const { body } = await app.send('POST /api/v1/sub-merchant', { key: shops.key, json })
    return String((body.data as Record<string, unknown>).subMerchantId)
  }
  const usual = await shop('Chez Awa', 'SN')
  const abroad = await shop('Awa Abidjan', 'CI')

  it('is that of the sub-merchant, whose id is stored only if the request named it', async () => {
    const chosen = await createdLink(await shops.create(linkBody({ sub_merchant_id: abroad })))
    assert.deepEqual([chosen.payeeName, chosen.subMerchantId], ['Awa Abidjan', abroad])
    const named = await createdLink(await shops.create(linkBody()))
    assert.deepEqual([named.payeeName, named.subMerchantId], ['Chez Awa', null])
    const asked = await createdLink(await shops.create(linkBody({ sub_merchant_id: usual })))
    assert.deepEqual([asked.payeeName, asked.subMerchantId], ['Chez Awa', usual])
  })

  it("is the client's own when there are no sub-merchants", async () => {
    const { create, clientId } = await newMerchant()
    const [client] = await db<{ name: string }>`select name from clients where id = ${clientId}`
    assert.equal((await createdLink(await create(linkBody()))).payeeName, client?.name)
  })

  it("is refused for another client's sub-merchant, or one that is not active", async () => {
    const closed = await shop('Closed', 'SN')
    await app.send(`DELETE /api/v1/sub-merchant/${closed}`, { key: shops.key })
    const stranger = await newMerchant()
    for (const [create, id, sentence] of [
      [shops.create, closed, 'sub_merchant_id is a sub-merchant that is not active'],
      [stranger.create, usual, 'sub_merchant_id is not a sub-merchant of yours'],
    ] as const) {
      const answer = await create(linkBody({ sub_merchant_id: id }))
      assertGeneralError(answer, 'VALIDATION_FAILED')
      assert.deepEqual([answer.status, answer.body.message], [400, [sentence]])
    }
  })
})

describe('the mail that confirms a link', () => {
  // language of the client, subject, sentence
  for (const [language, subject, sentence] of [
    ['fr', /^Lien de paiement créé\s: Panier de légumes, 7.500/, 'Votre lien de paiement est prêt'],
    ['en', /^Payment link created: Panier de légumes, 7.500/, 'Your payment link is ready'],
  ] as const)
    it(`is stored in ${language} as kept without a mail server`, async () => {
      const { create, clientId } = await newMerchant({ email: 'a@shop.example', language })
      const link = await createdLink(await create(linkBody({ ClientName: 'Moussa' })))
      const [mail, ...more] = await mailsOf(clientId)
      assert.ok(mail !== undefined)
      assert.deepEqual(more, [])
      const { recipient, state, language: written } = mail
      assert.deepEqual(
        { recipient, state, written },
        {
          recipient: 'a@shop.example',
          state: 'kept',
          written: language,
        },
      )
      assert.match(mail.subject, subject)
      for (const part of [sentence, `https://pay.example/caisse/process/${link.id}`, 'Moussa'])
        assert.ok(mail.text.includes(part), part)
    })

  it('is stored as pending with a mail server', async () => {
    const sending = await gateway.start({ environment: { SMTP_URL: 'smtp://127.0.0.1:9' } })
    const { key, clientId } = await newMerchant({ email: 'a@shop.example' })
    assert.equal((await sending.send(target, { key, json: linkBody() })).status, 201)
    assert.deepEqual(
      (await mailsOf(clientId)).map(({ state }) => state),
      ['pending'],
    )
  })

  it('is not written without an address, nor for a link that was refused', async () => {
    const withoutAddress = await newMerchant()
    await createdLink(await withoutAddress.create(linkBody()))
    assert.deepEqual(await mailsOf(withoutAddress.clientId), [])
    const { create, clientId } = await newMerchant({ email: 'a@shop.example' })
    const body = linkBody()
    assert.equal((await create(body)).status, 201)
    assert.equal((await create(body)).status, 409)
    assert.equal((await create(linkBody({ ItemPrice: 99 }))).status, 400)
    assert.equal((await mailsOf(clientId)).length, 1)
  })
})

const price = 'ItemPrice must be a whole number from 100 to 1000000'
const textOf = (min: number, max: number) => (field: string) =>
  `${field} must be a string of ${min} to ${max} characters`
const broken = (field: string) => `${field} must not contain control or broken characters`
const long = (length: number) => `"${'x'.repeat(length)}"`

describe('an invalid link', () => {
  // fields, JSON texts of a value, sentence
  const table: [fields: string[], values: string[], sentence: (field: string) => string][] = [
    [
      ['ItemPrice'],
      ['99', '0', '-100', '100.5', '1000001', '1e9', '"500.50"', 'null'],
      () => price,
    ],
    [['ItemPrice'], ['[500]', 'true', '{}', '""', '"0x1f4"', '1e999'], () => price],
    [['externalTransactionId'], ['""', long(129), 'null'], textOf(1, 128)],
    [['externalTransactionId'], ['"a\\nb"', '"\\u0000"', '"\\u007f"', '"\\ud800"'], broken],
    [['ItemName'], [long(201), 'null', '["a"]'], textOf(1, 200)],
    [['ItemName'], ['""', '" "', '"\\u00a0\\n"', '"\\u200b"'], () => 'ItemName must not be empty'],
    [['ItemName', 'ClientName', 'ClientPhone'], ['"\\u0000"', '"\\udc00"'], broken],
    [['ClientName'], [long(201)], textOf(0, 200)],
    [['ClientPhone'], [long(41)], textOf(0, 40)],
    [['ClientPhone'], ['771234567'], sentAsNumber],
    [['externalTransactionId', 'customData', 'callBackURL'], ['5.5'], sentAsNumber],
    [
      ['Email'],
      ['"awa"', '"awa@"', '"@shop.example"', '"a b@shop.example"', '"a@b@c.example"', '"a@b"'],
      () => 'Email must be an email address',
    ],
    // The rule of every other mail address (kit/mail-address.ts).
    [
      ['Email'],
      ['"awa@shop..sn"', '"awa@127.0.0.1"', '"é@shop.sn"', `"a@b.${'x'.repeat(251)}"`],
      () => 'Email must be an email address',
    ],
    [['customData'], ['"{"', '"{a:1}"', '"undefined"', `"'a'"`, '"{} x"'], isNotJson],
    [['customData'], ['{}', `"1${' '.repeat(10_000)}"`], textOf(0, 10_000)],
    [['callBackURL', 'successUrl', 'failureUrl'], ['null', '[]'], (f) => `${f} must be a string`],
    [
      ['callBackURL', 'successUrl', 'failureUrl'],
      ['""', '"javascript:alert(1)"', '"//shop.example"', '"https://a\\r\\nX: y"'],
      (field) => `${field} must be a full http or https address`,
    ],
    [
      ['sub_merchant_id'],
      ['"sm-7f4a9940c621"', '"x"'],
      () => 'sub_merchant_id is not a sub-merchant of yours',
    ],
    [
      ['expiresIn'],
      ['299', '2592001', '0', '-1', '300.5', '"300.5"'],
      () => 'expiresIn must be a whole number from 300 to 2592000',
    ],
    [['language'], ['"de"', '"FR"', '5'], () => 'language must be one of fr, en'],
  ]
  function isNotJson(): string {
    return 'customData must be JSON text'
  }
  for (const [fields, values, sentence] of table)
    for (const field of fields)
      for (const value of values)
        it(`is refused: ${field} ${value.slice(0, 30)}`, async () => {
          const answer = await sendRaw(field, value)
          assert.equal(answer.status, 400, answer.text)
          assertGeneralError(answer, field === 'ItemPrice' ? 'INVALID_AMOUNT' : 'VALIDATION_FAILED')
          assert.deepEqual([answer.body.message, answer.body.param], [[sentence(field)], field])
        })
  for (const field of Object.keys(linkBody()))
    it(`is refused without ${field}`, async () => {
      const answer = await sendRaw(field)
      assert.deepEqual([answer.status, answer.body.message], [400, [`${field} is required`]])
    })

  const all = {
    ...linkBody({ externalTransactionId: '', ItemName: ' ', ItemPrice: 1, customData: '{' }),
    callBackURL: 'x',
    successUrl: 5,
    failureUrl: 'https://a@b.example',
    Email: 'x',
    sub_merchant_id: 'x',
    expiresIn: 1,
    language: 'de',
  }

  it('is refused with a sentence for each fault, in English and in French', async () => {
    const answer = await app.send(target, { json: all })
    assertGeneralError(answer, 'VALIDATION_FAILED')
    assert.deepEqual(answer.body.message, [
      'externalTransactionId must be a string of 1 to 128 characters',
      price,
      sentAsNumber('successUrl'),
      'expiresIn must be a whole number from 300 to 2592000',
      'language must be one of fr, en',
      'callBackURL must be a full http or https address',
      'failureUrl must not contain a user name or password',
      'ItemName must not be empty',
      'customData must be JSON text',
      'Email must be an email address',
      'sub_merchant_id is not a sub-merchant of yours',
    ])
    const headers = { 'accept-language': 'fr' }
    const { body } = await app.send(target, { json: all, headers })
    assert.equal((body.message as string[]).length, 11)
    for (const sentence of body.message as string[]) assert.match(sentence, /doit|n'est pas|a été/)
  })

  it('leaves no record, and its external id can be used again', async () => {
    const { create, clientId } = await newMerchant({ email: 'a@shop.example' })
    const body = linkBody()
    assert.equal((await create({ ...body, ItemPrice: 99 })).status, 400)
    const rows = await db`
      select 1 from links where client_id = ${clientId}
      union all select 1 from external_ids where client_id = ${clientId}
      union all select 1 from mails where client_id = ${clientId}`
    assert.deepEqual(rows, [])
    assert.equal((await create(body)).status, 201)
  })
})

describe('the creation of a link', () => {
  async function set(clientId: number, merchantStatus: MerchantStatus): Promise<void> {
    const change = { merchantStatus }
    await changeClient({ db, clock }, { id: clientId, change, actor: 'test' })
  }

  for (const status of ['pending', 'suspended'] as const)
    it(`is refused while the merchant account is ${status}`, async () => {
      const { create, clientId, key } = await newMerchant()
      const id = String((await create(linkBody())).body.transactionId)
      await set(clientId, status)
      // Seen within half a second, and checked before the body.
      await eventually('the status is seen', async () => (await create({})).status === 403)
      assertGeneralError(await create({}), 'MERCHANT_NOT_ACTIVE')
      for (const path of ['transaction/merchant', 'merchant'])
        assert.equal((await app.send(`GET /api/v1/${path}/${id}`, { key })).status, 200)
      await set(clientId, 'active')
      await eventually('its end is seen', async () => (await create(linkBody())).status === 201)
    })

  it('is refused to a read-only key', async () => {
    const { secret: key } = await newKey(gateway.clientId, { rights: ['read'] })
    const answer = await app.send(target, { key, json: linkBody() })
    assert.equal(answer.status, 403)
    assertGeneralError(answer, 'RIGHT_MISSING')
  })

  it('is refused during maintenance', async () => {
    const closing = { scope: 'all', actor: 'test' }
    await startMaintenance({ db, clock }, { ...closing, reason: 'works' })
    await eventually(
      'the maintenance is seen',
      async () => (await app.send(target, { json: {} })).status === 403,
    )
    assertGeneralError(await app.send(target, { json: {} }), 'UNDER_MAINTENANCE')
    await endMaintenance({ db, clock }, closing)
    await eventually(
      'its end is seen',
      async () => (await app.send(target, { json: linkBody() })).status === 201,
    )
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { endMaintenance, startMaintenance } from '#merchants/catalog/maintenance.ts'
import { changeClient } from '#merchants/clients/clients.ts'
import type { MerchantStatus } from '#merchants/clients/statuses.ts'
import { type Answer, assertGeneralError, testGateway } from '#test/app.ts'
import { jsonWith, sentAsNumber } from '#test/json-text.ts'
import { eventually } from '#test/wait.ts'

const gateway = await testGateway()
const { db, clock, merchant, newKey } = gateway
const app = await gateway.start()
const create = 'POST /api/v1/sub-merchant'
const list = 'GET /api/v1/sub-merchant'
const shop = { name: 'Shop 1', commercialName: "L'Échoppe d'Awa", countries: ['SN'] }
const details = {
  description: 'Fabrics,\nsewing & repairs',
  legalName: 'Awa SARL',
  businessActivity: 'Textiles',
  managerName: 'Awa Diop',
  websiteURL: 'http://awa.example/shop?x=1#top',
  phoneNumber: '+221 77 123 45 67',
  city: 'Dakar',
  address: '12, rue Félix Faure',
  zipcode: '11000',
}

/** A new merchant without sub-merchants. */
async function newMerchant() {
  const clientId = await merchant(0)
  const { secret: key } = await newKey(clientId, { ratePerMinute: 100_000 })
  const send = (target: string, json?: unknown, headers = {}): Promise<Answer> =>
    app.send(target, { key, headers, ...(json === undefined ? {} : { json }) })
  return { clientId, key, send }
}

function dataOf({ body }: Answer): Record<string, unknown> {
  return body.data as Record<string, unknown>
}

async function rowsOf(clientId: number): Promise<string[]> {
  const rows = await db<{ row: string }>`
    select to_jsonb(s)::text as row from sub_merchants s where client_id = ${clientId}`
  return rows.map(({ row }) => row)
}

describe('a new sub-merchant', () => {
  // name, body sent, fields that differ in the answer
  const table: [name: string, sent: object, expected: object][] = [
    ['with the required fields', shop, {}],
    ['with every detail', { ...shop, ...details }, details],
    ['for every country', { ...shop, countries: ['GN', 'BF', 'BJ', 'CM', 'CI', 'SN'] }, {}],
    [
      'with a country twice',
      { ...shop, countries: ['CI', 'SN', 'CI'] },
      { countries: ['CI', 'SN'] },
    ],
    [
      'with spaces around',
      { ...shop, name: ' a ', commercialName: '\u00a0b c ', city: ' d ' },
      { name: 'a', commercialName: 'b c', city: 'd' },
    ],
    ['with blank details', { ...shop, description: '', city: ' \n', websiteURL: '' }, {}],
    ['with long names', { ...shop, name: 'é'.repeat(100), commercialName: '😀'.repeat(100) }, {}],
    ['with a long detail', { ...shop, address: '😀'.repeat(500) }, { address: '😀'.repeat(500) }],
    ['with an emoji of several code points', { ...shop, commercialName: '👩🏾‍🌾 Awa' }, {}],
  ]
  for (const [name, sent, expected] of table)
    it(`${name} is created and read back`, async () => {
      const { send, clientId } = await newMerchant()
      const answer = await send(create, sent)
      assert.equal(answer.status, 201, answer.text)
      const { subMerchantId } = dataOf(answer)
      const known = Object.fromEntries(Object.entries(sent).filter(([field]) => field in shop))
      assert.deepEqual(answer.body, {
        success: true,
        message: 'Sub-merchant created successfully',
        data: {
          subMerchantId,
          ...known,
          isActive: true,
          isDefault: true,
          CREATED_AT: clock.now().toISOString(),
          ...expected,
        },
      })
      assert.match(String(subMerchantId), /^sm-[0-9a-f]{12}$/)
      assert.equal((await rowsOf(clientId)).length, 1)
      const read = await send(`GET /api/v1/sub-merchant/${String(subMerchantId)}`)
      assert.deepEqual(dataOf(read), dataOf(answer))
    })

  it('is the default if it is the first', async () => {
    const { send } = await newMerchant()
    const created = []
    for (let times = 0; times < 3; times += 1) created.push(dataOf(await send(create, shop)))
    assert.deepEqual(
      created.map(({ isDefault }) => isDefault),
      [true, false, false],
    )
    assert.equal(new Set(created.map(({ subMerchantId }) => subMerchantId)).size, 3)
  })

  it('stores no unknown field, and ignores those that a caller cannot set', async () => {
    const { send, clientId } = await newMerchant()
    const marker = 'never-to-be-kept'
    const more = { subMerchantId: marker, id: marker, isActive: false, [marker]: { marker } }
    const answer = await send(create, { ...shop, ...more, isDefault: false, clientId: 1 })
    assert.deepEqual([dataOf(answer).isActive, dataOf(answer).isDefault], [true, true])
    const [row = ''] = await rowsOf(clientId)
    assert.ok(!(answer.text + row).includes(marker))
  })

  it('is created once under an Idempotency-Key', async () => {
    const { send, clientId } = await newMerchant()
    const headers = { 'idempotency-key': 'shop-1' }
    const [first, again] = [await send(create, shop, headers), await send(create, shop, headers)]
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.deepEqual([again.status, again.text], [201, first.text])
    assert.equal((await rowsOf(clientId)).length, 1)
    assert.equal((await send(create, { ...shop, name: 'b' }, headers)).status, 422)
  })

  for (const path of ['/v1/sub-merchant', '/sub-merchant', '/sub-merchant/'])
    it(`can be created and listed at ${path}`, async () => {
      const { send } = await newMerchant()
      assert.equal((await send(`POST ${path}`, shop)).status, 201)
      assert.equal((await send(`GET ${path}?limit=1`)).body.total, 1)
    })
})

const nameLength = (field: string) => `${field} must be a string of 1 to 100 characters`
const broken = (field: string) => `${field} must not contain control or broken characters`

describe('an invalid sub-merchant', () => {
  // fields, JSON texts of a value, sentence
  const table: [fields: string[], values: string[], sentence: (field: string) => string][] = [
    [
      ['name', 'commercialName'],
      [
        '""',
        '" "',
        '"\\u00a0\\u3000"',
        '"\\u200b"',
        `"${'x'.repeat(101)}"`,
        `"${'😀'.repeat(101)}"`,
      ],
      nameLength,
    ],
    [
      ['name', 'commercialName'],
      ['"a\\nb"', '"a\\n"', '"\\ta"', '"a\\u0000"', '"\\u007f"', '"\\u0085"', '"\\ud800"'],
      broken,
    ],
    [['name', 'commercialName'], ['"a\\u202eb"', '"a\\u2028b"', '"\\u2066a\\u2069"'], broken],
    [
      ['name', 'commercialName'],
      ['null', 'true', '["a"]', '{}'],
      (field) => `${field} must be a string`,
    ],
    [['countries'], ['[]'], () => 'countries must name at least one country'],
    [['countries'], ['"SN"', 'null', '5', '{"0":"SN"}'], () => 'countries must be an array'],
    [
      Object.keys(details).filter((field) => field !== 'websiteURL'),
      [`"${'x'.repeat(501)}"`, '["a"]'],
      (field) => `${field} must be a string of 0 to 500 characters`,
    ],
    [['description'], ['"a\\u0000b"', '"\\udc00"'], broken],
    [['name', 'city', 'websiteURL'], ['5'], sentAsNumber],
    [['websiteURL'], ['{}'], () => 'websiteURL must be a string'],
    [
      ['websiteURL'],
      ['"awa.example"', '"ftp://awa.example"', '"javascript:alert(1)"', '"https://"', '"//a.b"'],
      () => 'websiteURL must be a full http or https address',
    ],
    [
      ['websiteURL'],
      ['"https://a b"', '"https://a\\n.b"', `"https://a.b/${'x'.repeat(2048)}"`],
      () => 'websiteURL must be a full http or https address',
    ],
    [
      ['websiteURL'],
      ['"https://awa@b.example"', '"https://a:b@c.example/"'],
      () => 'websiteURL must not contain a user name or password',
    ],
  ]
  for (const [fields, values, sentence] of table)
    for (const field of fields)
      for (const value of values)
        it(`is refused: ${field} ${value.slice(0, 30)}`, async () => {
          const answer = await sendRaw(field, value)
          assert.equal(answer.status, 400, answer.text)
          assertGeneralError(answer, 'VALIDATION_FAILED')
          assert.deepEqual([answer.body.message, answer.body.param], [[sentence(field)], field])
        })

  for (const [value, ...places] of [
    ['["SN","FR"]', 1],
    ['["ML"]', 0],
    ['["sn","SN "," SN"]', 0, 1, 2],
    ['[null,"SN",5,["SN"]]', 0, 2, 3],
  ] as const)
    it(`is refused with each invalid country of ${value}`, async () => {
      const answer = await sendRaw('countries', value)
      assertGeneralError(answer, 'VALIDATION_FAILED')
      const wanted = 'must be one of SN, CI, CM, BJ, BF, GN'
      assert.deepEqual(
        answer.body.message,
        places.map((place) => `countries.${place} ${wanted}`),
      )
    })

  const all = { name: '', commercialName: 'a\nb', countries: [], city: 5, websiteURL: 'awa' }

  it('is refused with a sentence for each fault', async () => {
    const answer = await app.send(create, { json: all })
    assertGeneralError(answer, 'VALIDATION_FAILED')
    assert.deepEqual(answer.body.message, [
      'countries must name at least one country',
      sentAsNumber('city'),
      nameLength('name'),
      broken('commercialName'),
      'websiteURL must be a full http or https address',
    ])
  })

  it('is refused with a sentence for each fault in French', async () => {
    const answer = await app.send(create, { json: all, headers: { 'accept-language': 'fr' } })
    assert.deepEqual(answer.body.message, [
      'countries doit nommer au moins un pays',
      'city a été envoyé comme un nombre : envoyez-le comme texte, entre guillemets',
      'name doit être un texte de 1 à 100 caractères',
      'commercialName ne doit contenir ni caractère de contrôle ni caractère invalide',
      'websiteURL doit être une adresse http ou https complète',
    ])
  })

  it('is refused with every required field for an empty body', async () => {
    const wanted = Object.keys(shop).map((field) => `${field} is required`)
    for (const sending of [{}, { json: {} }, { body: '' }])
      assert.deepEqual((await app.send(create, sending)).body.message, wanted)
    assert.equal((await app.send(create, { json: [shop] })).status, 400)
  })

  it('leaves no record', async () => {
    assert.deepEqual(await rowsOf(gateway.clientId), [])
  })

  /** Sends a valid shop with the JSON text of one field replaced. */
  function sendRaw(field: string, value: string): Promise<Answer> {
    return app.send(create, { body: jsonWith(shop, field, value) })
  }
})

describe('the list of sub-merchants', async () => {
  const { send, clientId } = await newMerchant()
  const created: Record<string, unknown>[] = []
  for (let number = 1; number <= 45; number += 1) {
    // Five at a time have the same creation time.
    if (number % 5 === 0) clock.advance(1)
    created.push(dataOf(await send(create, { ...shop, ...details, name: `Shop ${number}` })))
  }
  await send(`DELETE /api/v1/sub-merchant/${String(created[2]?.subMerchantId)}`)

  // query, first and last number on the page, page, pages
  const table: [query: string, from: number, to: number, page: number, totalPages: number][] = [
    ['', 1, 20, 1, 3],
    ['?', 1, 20, 1, 3],
    ['?page=1', 1, 20, 1, 3],
    ['?page=2', 21, 40, 2, 3],
    ['?page=3', 41, 45, 3, 3],
    ['?page=4', 1, 0, 4, 3],
    ['?page=999999999&limit=100', 1, 0, 999_999_999, 1],
    ['?limit=1', 1, 1, 1, 45],
    ['?page=45&limit=1', 45, 45, 45, 45],
    ['?limit=45', 1, 45, 1, 1],
    ['?limit=44&page=2', 45, 45, 2, 2],
    ['?limit=100', 1, 45, 1, 1],
    ['?limit=9&page=5', 37, 45, 5, 5],
    ['?offset=7&sort=name&clientId=1', 1, 20, 1, 3],
  ]
  for (const [query, from, to, page, totalPages] of table)
    it(`has numbers ${from} to ${to} on ${list}${query}`, async () => {
      const { status, body } = await send(list + query)
      assert.equal(status, 200)
      const { data, ...rest } = body as { data: { name: string }[] }
      assert.deepEqual(rest, { success: true, total: 45, page, totalPages })
      assert.deepEqual(
        data.map(({ name }) => name),
        created.slice(from - 1, to).map(({ name }) => name),
      )
    })

  it('shows seven fields of each, also of those that are not active', async () => {
    const { body } = await send(`${list}?limit=3`)
    const [first = {}, , third = {}] = body.data as Record<string, unknown>[]
    const { subMerchantId, CREATED_AT } = created[0] ?? {}
    const { name, commercialName, countries } = { ...shop, name: 'Shop 1' }
    const known = { subMerchantId, name, commercialName, countries, CREATED_AT }
    assert.deepEqual(first, { ...known, isActive: true, isDefault: true })
    assert.deepEqual([third.isActive, third.subMerchantId], [false, created[2]?.subMerchantId])
  })

  it("has the merchant's own only", async () => {
    const other = await newMerchant()
    const empty = { success: true, data: [], total: 0, page: 1, totalPages: 0 }
    assert.deepEqual((await other.send(list)).body, empty)
    await other.send(create, shop)
    assert.equal((await other.send(list)).body.total, 1)
    const { secret: key } = await newKey(clientId, { rights: ['read'] })
    assert.equal((await app.send(list, { key })).body.total, 45)
  })

  const refused: [field: string, values: string[], sentence: string][] = [
    [
      'page',
      [
        '0',
        '-1',
        '',
        'abc',
        '1.5',
        '1e1',
        '01',
        '+1',
        ' 1',
        '1%00',
        '%D9%A1',
        '9999999999999999',
        'NaN',
      ],
      'page must be a whole number from 1 to 999999999999999',
    ],
    [
      'limit',
      ['0', '-1', '', 'abc', '1.5', '101', '1000', '020', '%201', '1&limit=2', '0x10', 'null'],
      'limit must be a whole number from 1 to 100',
    ],
  ]
  for (const [field, values, sentence] of refused)
    for (const value of values)
      it(`refuses ${field}=${value}`, async () => {
        const answer = await send(`${list}?${field}=${value.replace(' ', '+')}`)
        assert.equal(answer.status, 400, answer.text)
        assertGeneralError(answer, 'VALIDATION_FAILED')
        if (!value.includes('%00')) assert.deepEqual(answer.body.message, [sentence])
      })

  it('is refused with a sentence for page and one for limit', async () => {
    const { body } = await send(`${list}?page=x&limit=y`)
    assert.deepEqual(
      body.message,
      refused.map(([, , sentence]) => sentence),
    )
  })
})

describe('a merchant account that is not active', () => {
  const targets = [create, 'PATCH ', 'DELETE ']
  const become = (id: number, merchantStatus: MerchantStatus) =>
    changeClient({ db, clock }, { id, change: { merchantStatus }, actor: 'test' })

  for (const status of ['pending', 'suspended'] as const)
    it(`reads sub-merchants while it is ${status}, and changes none`, async () => {
      const { send, clientId } = await newMerchant()
      const { subMerchantId } = dataOf(await send(create, shop))
      const one = `/api/v1/sub-merchant/${String(subMerchantId)}`
      await become(clientId, status)
      await eventually('the status is seen', async () => (await send(create)).status === 403)
      for (const target of targets) {
        const answer = await send(target.endsWith(' ') ? target + one : target, { name: 5 })
        assert.equal(answer.status, 403, target)
        assertGeneralError(answer, 'MERCHANT_NOT_ACTIVE')
      }
      for (const target of [list, `GET ${one}`, `HEAD ${one}`])
        assert.equal((await send(target)).status, 200, target)
      assert.deepEqual((await send(create)).body.message, ['Your merchant account is not active'])
      const french = await send(create, undefined, { 'accept-language': 'fr' })
      assert.deepEqual(french.body.message, ["Votre compte marchand n'est pas actif"])
      assert.equal((await send('GET /api/v1/api-services/balance')).status, 200)
      await become(clientId, 'active')
      await eventually('its end is seen', async () => (await send(create, shop)).status === 201)
      assert.equal(dataOf(await send(`GET ${one}`)).isActive, true)
    })

  it('is refused after key, rate limit and scope are checked, and before the body', async () => {
    const { key, clientId } = await newMerchant()
    const readOnly = await newKey(clientId, { rights: ['read'] })
    const exhausted = await newKey(clientId, { ratePerMinute: 1 })
    await become(clientId, 'suspended')
    await app.send(list, { key: exhausted.secret })
    const codeOf = async (secret: string) => (await app.send(create, { key: secret })).body.code
    assert.equal(await codeOf('sk_sandbox_nobody'), 'INVALID_API_KEY')
    assert.equal(await codeOf(exhausted.secret), 'RATE_LIMITED')
    assert.equal(await codeOf(readOnly.secret), 'RIGHT_MISSING')
    const text = { 'content-type': 'text/plain' }
    const { body } = await app.send(create, { key, body: 'x', headers: text })
    assert.equal(body.code, 'MERCHANT_NOT_ACTIVE')
    const order = { scope: 'all', reason: 'works', actor: 'test' }
    await startMaintenance({ db, clock }, order)
    await eventually(
      'the maintenance is seen',
      async () => (await codeOf(key)) === 'UNDER_MAINTENANCE',
    )
    await endMaintenance({ db, clock }, order)
  })
})

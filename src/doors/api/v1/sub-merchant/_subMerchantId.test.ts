import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, assertGeneralError, testGateway } from '#test/app.ts'

const gateway = await testGateway()
const { db, clock, merchant, newKey } = gateway
const app = await gateway.start()
const path = '/api/v1/sub-merchant'
const shop = { name: 'Shop 1', commercialName: "L'Échoppe d'Awa", countries: ['SN'] }

type Data = Record<string, unknown> & { subMerchantId: string }

/** A new merchant with one sub-merchant. */
async function newShop(more: object = {}) {
  const clientId = await merchant(0)
  const { secret: key } = await newKey(clientId, { ratePerMinute: 100_000 })
  const send = (target: string, json?: unknown): Promise<Answer> =>
    app.send(target, { key, ...(json === undefined ? {} : { json }) })
  const created = dataOf(await send(`POST ${path}`, { ...shop, ...more }))
  return { clientId, key, send, created, url: `${path}/${created.subMerchantId}` }
}

function dataOf({ body }: Answer): Data {
  return body.data as Data
}

describe('a change of a sub-merchant', () => {
  const details = {
    description: 'Fabrics',
    legalName: 'Awa SARL',
    businessActivity: 'Textiles',
    managerName: 'Awa Diop',
    websiteURL: 'https://awa.example',
    phoneNumber: '771234567',
    city: 'Dakar',
    address: '12, rue Félix Faure',
    zipcode: '11000',
  }
  // name, body sent, fields that differ afterwards
  const table: [name: string, sent: object | undefined, expected: object][] = [
    ['with an empty body', {}, {}],
    ['without a body', undefined, {}],
    ['of unknown fields', { subMerchantId: 'sm-000000000000', CREATED_AT: 5, x: [] }, {}],
    ['of the internal name', { name: ' Shop 2 ' }, { name: 'Shop 2' }],
    ['of the name that payers see', { commercialName: 'Chez Awa' }, { commercialName: 'Chez Awa' }],
    ['of countries', { countries: ['CI', 'GN', 'CI'] }, { countries: ['CI', 'GN'] }],
    ['of all details', changed(details, '0'), changed(details, '0')],
    ['that removes a detail', { city: '' }, { city: undefined }],
    [
      'that removes all details',
      Object.fromEntries(Object.keys(details).map((one) => [one, ''])),
      Object.fromEntries(Object.keys(details).map((one) => [one, undefined])),
    ],
    ['to the same values', { ...shop, ...details, isActive: true, isDefault: true }, {}],
    ['to not active', { isActive: false }, { isActive: false, isDefault: false }],
  ]
  for (const [name, sent, expected] of table)
    it(`${name} is answered and read back`, async () => {
      const { send, created, url } = await newShop(details)
      clock.advance(1000)
      const answer = await send(`PATCH ${url}`, sent)
      assert.equal(answer.status, 200, answer.text)
      const data = JSON.parse(JSON.stringify({ ...created, ...expected }))
      const message = 'Sub-merchant updated successfully'
      assert.deepEqual(answer.body, { success: true, message, data })
      const read = await send(`GET ${url}`)
      const fetched = 'Sub-merchant fetched successfully'
      assert.deepEqual(read.body, { success: true, message: fetched, data })
    })

  const refused: [sent: object, ...sentences: string[]][] = [
    [{ name: ' ' }, 'name must be a string of 1 to 100 characters'],
    [{ name: '' }, 'name must be a string of 1 to 100 characters'],
    [{ commercialName: 'a\u0007' }, 'commercialName must not contain control or broken characters'],
    [{ countries: [] }, 'countries must name at least one country'],
    [{ countries: ['ML'] }, 'countries.0 must be one of SN, CI, CM, BJ, BF, GN'],
    [{ city: 'x'.repeat(501) }, 'city must be a string of 0 to 500 characters'],
    [{ websiteURL: 'awa' }, 'websiteURL must be a full http or https address'],
    [{ isActive: 'true' }, 'isActive must be true or false'],
    [
      { isDefault: 1, isActive: 'no' },
      'isActive must be true or false',
      'isDefault must be true or false',
    ],
    [
      { isActive: false, isDefault: true, name: 'new' },
      'isDefault can only be true for an active sub-merchant',
    ],
  ]
  for (const [sent, ...sentences] of refused)
    it(`${JSON.stringify(sent).slice(0, 50)} is refused and changes nothing`, async () => {
      const { send, created, url } = await newShop()
      const answer = await send(`PATCH ${url}`, sent)
      assert.equal(answer.status, 400, answer.text)
      assertGeneralError(answer, 'VALIDATION_FAILED')
      assert.deepEqual(answer.body.message, sentences)
      assert.deepEqual(dataOf(await send(`GET ${url}`)), created)
    })

  function changed(texts: Record<string, string>, by: string): object {
    return Object.fromEntries(Object.entries(texts).map(([field, text]) => [field, text + by]))
  }
})

describe('the default sub-merchant', () => {
  // The steps in their order; the list afterwards: * is the default, - is not active.
  const table: [steps: string, end: string][] = [
    ['make A', 'A*'],
    ['make A, make B', 'A* B'],
    ['make A, make B, default B', 'A B*'],
    ['make A, make B, default B, default A', 'A* B'],
    ['make A, default A', 'A*'],
    ['make A, make B, make C, default C, off C', 'A B C-'],
    ['make A, make B, off A', 'A- B'],
    ['make A, make B, off A, on A', 'A B'],
    ['make A, make B, off A, default B', 'A- B*'],
    ['make A, make B, off A, make C', 'A- B C'],
    ['make A, make B, off B', 'A* B-'],
    ['make A, make B, off B, on B', 'A* B'],
    ['make A, off A', 'A-'],
    ['make A, off A, off A', 'A-'],
    ['make A, off A, on A', 'A*'],
    ['make A, off A, make B', 'A- B*'],
    ['make A, off A, make B, on A', 'A B*'],
    ['make A, make B, off A, off B, on B, on A', 'A B*'],
    ['make A, delete A, on A', 'A*'],
    ['make A, make B, delete A', 'A- B'],
    ['make A, none A', 'A'],
    ['make A, none A, make B', 'A B'],
    ['make A, make B, none B', 'A* B'],
    ['make A, none A, on A', 'A'],
    ['make A, make B, off A, on&default A', 'A* B'],
    ['make A, off A, on&none A', 'A'],
    ['make A, off&none A', 'A-'],
    ['make A, off A, !default A', 'A-'],
    ['make A, make B, off B, !default B', 'A* B-'],
    ['make A, !off&default A', 'A*'],
  ]
  const changes: Record<string, object> = {
    on: { isActive: true },
    off: { isActive: false },
    default: { isDefault: true },
    none: { isDefault: false },
  }
  for (const [steps, end] of table)
    it(`after ${steps} is as in ${end}`, async () => {
      const { secret: key } = await newKey(await merchant(0))
      const ids = new Map<string, string>()
      for (const step of steps.split(', ')) {
        const [verb = '', name = ''] = step.split(' ')
        const one = `${path}/${ids.get(name)}`
        const parts = verb.replace('!', '').split('&')
        const json = Object.assign({}, ...parts.map((part) => changes[part]))
        if (verb === 'make') {
          const { subMerchantId } = dataOf(
            await app.send(`POST ${path}`, { key, json: { ...shop, name } }),
          )
          ids.set(name, subMerchantId)
        } else if (verb === 'delete')
          assert.equal((await app.send(`DELETE ${one}`, { key })).status, 200)
        else {
          const { status } = await app.send(`PATCH ${one}`, { key, json })
          assert.equal(status, verb.startsWith('!') ? 400 : 200)
        }
      }
      const { body } = await app.send(`GET ${path}`, { key })
      const found = (body.data as Data[]).map(
        ({ name, isActive, isDefault }) =>
          `${String(name)}${isDefault ? '*' : ''}${isActive ? '' : '-'}`,
      )
      assert.equal(found.join(' '), end)
    })
})

describe('deactivation of a sub-merchant', () => {
  it('answers with the sub-merchant, and the same when it is repeated', async () => {
    const { send, created, url } = await newShop({ city: 'Dakar' })
    for (const sent of [undefined, {}, { isActive: true }]) {
      const { status, body } = await send(`DELETE ${url}`, sent)
      assert.equal(status, 200)
      assert.deepEqual(body, {
        success: true,
        message: 'Sub-merchant deactivated successfully',
        data: { ...created, isActive: false, isDefault: false },
      })
    }
    assert.equal(dataOf(await send(`GET ${url}`)).isActive, false)
  })
})

describe('the sub-merchant of another merchant', async () => {
  const owner = await newShop()
  const stranger = await newShop()
  const ids: [name: string, id: string][] = [
    ["another merchant's id", owner.created.subMerchantId],
    ['an unknown id', 'sm-000000000000'],
    ['an id in capitals', stranger.created.subMerchantId.toUpperCase()],
    ['an id with a letter more', `${stranger.created.subMerchantId}0`],
    ['an id with a space', `${stranger.created.subMerchantId}%20`],
    ['a pattern', 'sm-%25'],
    ['a number', '1'],
    ['a long id', 'x'.repeat(4000)],
  ]
  const missing = { message: ['No sub-merchant found'], success: false, code: 'NOT_FOUND' }
  for (const method of ['GET', 'PATCH', 'DELETE'])
    for (const [name, id] of ids)
      it(`${method} of ${name} is answered with 404`, async () => {
        const json = method === 'PATCH' ? { name: 'mine' } : undefined
        const answer = await stranger.send(`${method} ${path}/${id}`, json)
        assert.equal(answer.status, 404)
        assert.deepEqual({ ...answer.body, requestId: '' }, { ...missing, requestId: '' })
      })

  it('gives the same status as an unknown id to an invalid body', async () => {
    for (const id of [owner.created.subMerchantId, 'sm-000000000000'])
      assert.equal((await stranger.send(`PATCH ${path}/${id}`, { name: '' })).status, 400)
  })

  it('is not changed by these requests', async () => {
    assert.deepEqual(dataOf(await owner.send(`GET ${owner.url}`)), owner.created)
    assert.deepEqual(dataOf(await stranger.send(`GET ${stranger.url}`)), stranger.created)
  })

  it('may have the same id without being mixed up', async () => {
    await db`
      insert into sub_merchants (
        client_id, id, number, name, commercial_name, countries, created_at)
      values (
        ${stranger.clientId}, ${owner.created.subMerchantId}, 2, 'Twin', 'Twin', '{SN}', now())`
    const found = dataOf(await stranger.send(`GET ${owner.url}`))
    assert.equal(found.name, 'Twin')
    await stranger.send(`PATCH ${owner.url}`, { name: 'Changed', isDefault: true })
    assert.deepEqual(dataOf(await owner.send(`GET ${owner.url}`)), owner.created)
  })
})

describe('the address of a sub-merchant', async () => {
  const { clientId, created, url } = await newShop()
  const other = await newKey(clientId)
  const readOnly = await newKey(clientId, { rights: ['read'] })
  const id = created.subMerchantId
  const table: [target: string, key: string, status: number][] = [
    [`GET ${url}`, other.secret, 200],
    [`GET /v1/sub-merchant/${id}`, other.secret, 200],
    [`GET /sub-merchant/${id}/`, other.secret, 200],
    [`HEAD ${url}`, other.secret, 200],
    [`PATCH /sub-merchant/${id}`, other.secret, 200],
    [`DELETE /v1/sub-merchant/${id}`, other.secret, 200],
    [`GET ${url}`, readOnly.secret, 200],
    [`PATCH ${url}`, readOnly.secret, 403],
    [`DELETE ${url}`, readOnly.secret, 403],
    [`POST ${path}`, readOnly.secret, 403],
    [`GET ${url}/more`, other.secret, 404],
    [`GET ${path}/a%00b`, other.secret, 400],
  ]
  for (const [target, key, status] of table)
    it(`${target.replace(id, 'ID')} is answered with ${status}`, async () => {
      const answer = await app.send(target, { key })
      assert.equal(answer.status, status, answer.text)
      if (status === 403) assertGeneralError(answer, 'RIGHT_MISSING')
    })

  const elsewhere: [target: string, allow: string][] = [
    [`POST ${url}`, 'DELETE, GET, HEAD, PATCH'],
    [`PUT /sub-merchant/${id}`, 'DELETE, GET, HEAD, PATCH'],
    [`DELETE ${path}`, 'GET, HEAD, POST'],
    [`PATCH /v1/sub-merchant`, 'GET, HEAD, POST'],
  ]
  for (const [target, allow] of elsewhere)
    it(`${target.replace(id, 'ID')} is answered with 405 and Allow: ${allow}`, async () => {
      const answer = await app.send(target, { key: other.secret, json: shop })
      assert.equal(answer.status, 405)
      assert.equal(answer.headers.allow, allow)
    })

  it('takes JSON only', async () => {
    const headers = { 'content-type': 'text/plain' }
    for (const method of ['PATCH', 'DELETE'])
      assert.equal((await app.send(`${method} ${url}`, { body: 'x', headers })).status, 415)
    const broken = await app.send(`PATCH ${url}`, { key: other.secret, body: '{"name":' })
    assertGeneralError(broken, 'MALFORMED_REQUEST')
  })
})

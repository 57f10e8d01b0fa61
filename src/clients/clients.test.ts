import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { newClient } from '../../test/clients.ts'
import { testClock } from '../../test/clock.ts'
import { testDatabase } from '../../test/database.ts'
import { services } from '../catalog/services.ts'
import { changeClient, changeTerms, clientNamed, createClient } from './clients.ts'
import { servicesOf } from './offer.ts'
import { findClient, readTerms } from './store.ts'

const { db, connect } = await testDatabase()
const clock = testClock()
const createdAt = clock.now()
const actor = 'ops'

type Order = Omit<Parameters<typeof createClient>[2], 'actor'>
const create = (order: Order) =>
  db.transaction((tx) => createClient(tx, clock, { ...order, actor }))
type Change = Parameters<typeof changeClient>[2]['change']
const change = (id: number, what: Change) => changeClient(db, clock, { id, change: what, actor })
type Terms = Parameters<typeof changeTerms>[2]['change']
const setTerms = (clientId: number, serviceCode: string, what: Terms) =>
  db.transaction((tx) => changeTerms(tx, clock, { clientId, serviceCode, change: what, actor }))

describe('a new client', () => {
  const plain = {
    merchantStatus: 'active',
    tier: 'standard',
    ratePerMinute: 100,
    callbackUrl: null,
    email: null,
    language: 'fr',
    linkLifetimeS: 86_400,
    isDemo: false,
    createdAt,
  }
  const scenarios: [string, Order, object][] = [
    ['is standard', { name: 'Plain' }, {}],
    ['may be told the standard rate', { name: 'Told', tier: 'standard', ratePerMinute: 100 }, {}],
    [
      'may be enterprise',
      { name: 'Large', tier: 'enterprise', ratePerMinute: 6000 },
      { tier: 'enterprise', ratePerMinute: 6000 },
    ],
    [
      'may have an address, and be a demo',
      { name: 'Demo', callbackUrl: 'https://shop.test/hook', isDemo: true },
      { callbackUrl: 'https://shop.test/hook', isDemo: true },
    ],
    [
      'may be written to, in its language',
      { name: 'Written', email: 'awa@shop.test', language: 'en' },
      { email: 'awa@shop.test', language: 'en' },
    ],
  ]
  for (const [name, order, expected] of scenarios)
    it(name, async () => {
      const id = await create(order)
      assert.deepEqual(await findClient(db, id), { id, name: order.name, ...plain, ...expected })
    })

  it('has no services, and leaves a trace', async () => {
    const id = await create({ name: 'Traced' })
    assert.deepEqual(await servicesOf(db, id), [])
    assert.deepEqual(
      await db`select actor, action, details from audit_log where client_id = ${id}`,
      [
        {
          actor,
          action: 'client.create',
          details: { name: 'Traced', tier: 'standard', ratePerMinute: 100 },
        },
      ],
    )
  })
})

describe('a client', () => {
  const refused: [string, Order, string, RegExp][] = [
    ['with a name in use', { name: 'Taken' }, 'conflict', /already a client named Taken/],
    ['without a name', { name: ' ' }, 'validation_failed', /needs a name/],
    [
      'of the standard tier with a rate of its own',
      { name: 'Fast', ratePerMinute: 101 },
      'validation_failed',
      /Only the enterprise tier/,
    ],
    [
      'of the enterprise tier without one',
      { name: 'Slow', tier: 'enterprise' },
      'validation_failed',
      /needs its requests per minute/,
    ],
    [
      'that cannot be written to',
      { name: 'Lost', email: 'awa@shop.test\r\nBcc: bob@shop.test' },
      'validation_failed',
      /Bcc: bob@shop\.test is not a mail address/,
    ],
  ]
  for (const [name, order, kind, message] of refused)
    it(`is refused ${name}`, async () => {
      if (kind === 'conflict') await create(order)
      await assert.rejects(create(order), { name: 'Refusal', kind, message })
    })

  it('made twice at once is made once', async () => {
    const made = await Promise.allSettled(range(8).map(() => create({ name: 'Twin' })))
    assert.equal(made.filter((one) => one.status === 'fulfilled').length, 1)
  })
})

test('a client is found by number or by name', async () => {
  const id = await create({ name: 'Boutique Démo' })
  assert.equal(await clientNamed(db, 'Boutique Démo'), id)
  assert.equal(await clientNamed(db, `${id}`), id)
  for (const nobody of ['999999', 'boutique démo', '', '-1', '99999999999999999999'])
    await assert.rejects(clientNamed(db, nobody), {
      kind: 'not_found',
      message: `There is no client ${nobody}`,
    })
})

describe('a change of a client', () => {
  // changes one after the other, what it is in the end
  const scenarios: [string, Change[], object][] = [
    [
      'to the enterprise tier and back',
      [{ tier: 'enterprise', ratePerMinute: 500 }, { tier: 'standard' }],
      { tier: 'standard', ratePerMinute: 100 },
    ],
    [
      'of an enterprise rate',
      [{ tier: 'enterprise', ratePerMinute: 500 }, { ratePerMinute: 900 }],
      { tier: 'enterprise', ratePerMinute: 900 },
    ],
    [
      'of something else keeps the rate',
      [{ tier: 'enterprise', ratePerMinute: 500 }, { merchantStatus: 'suspended' }],
      { tier: 'enterprise', ratePerMinute: 500, merchantStatus: 'suspended' },
    ],
    [
      'of the address, and its removal',
      [{ callbackUrl: 'https://shop.test' }, { callbackUrl: null }],
      { callbackUrl: null },
    ],
    ['of how long its links live', [{ linkLifetimeS: 300 }], { linkLifetimeS: 300 }],
    [
      'of where it is written to, and how',
      [{ email: 'awa@shop.test', language: 'en' }, { merchantStatus: 'pending' }, { email: null }],
      { email: null, language: 'en', merchantStatus: 'pending' },
    ],
  ]
  for (const [name, changes, expected] of scenarios)
    it(name, async () => {
      const id = await newClient(db, clock)
      const before = await findClient(db, id)
      for (const one of changes) await change(id, one)
      assert.deepEqual(await findClient(db, id), { ...before, ...expected })
      const trace = await db`
        select details from audit_log where client_id = ${id} and action = 'client.change'
        order by id`
      assert.deepEqual(
        trace,
        changes.map((details) => ({ details })),
      )
    })

  it('is refused when the tier and the rate disagree, or for nobody', async () => {
    const id = await newClient(db, clock)
    const invalid = { kind: 'validation_failed' }
    await assert.rejects(change(id, { ratePerMinute: 500 }), invalid)
    await assert.rejects(change(id, { tier: 'enterprise' }), invalid)
    await assert.rejects(change(id, { email: 'awa' }), invalid)
    await assert.rejects(change(999_999, {}), { kind: 'not_found' })
  })

  it('does not undo another one made at the same time', async () => {
    const other = connect()
    for (const round of range(20)) {
      const id = await newClient(db, clock)
      const callbackUrl = `https://shop.test/${round}`
      await Promise.all([
        change(id, { merchantStatus: 'suspended' }),
        changeClient(other, clock, { id, change: { callbackUrl }, actor }),
      ])
      const client = await findClient(db, id)
      assert.deepEqual([client?.merchantStatus, client?.callbackUrl], ['suspended', callbackUrl])
    }
  })
})

describe('terms', () => {
  const code = 'WALLETA_SN_CASHOUT'
  const enabled = async (clientId: number) =>
    (await servicesOf(db, clientId)).map((service) => service.code)

  it('enable and disable one service', async () => {
    const id = await newClient(db, clock)
    await setTerms(id, code, { isEnabled: true })
    assert.deepEqual(await enabled(id), [code])
    await setTerms(id, code, { isEnabled: false })
    assert.deepEqual(await enabled(id), [])
  })

  it('enable and disable all of them, in the order of the catalogue', async () => {
    const id = await newClient(db, clock)
    await setTerms(id, 'all', { isEnabled: true })
    assert.deepEqual(
      await enabled(id),
      services.map((service) => service.code),
    )
    await setTerms(id, 'all', { isEnabled: false })
    assert.deepEqual(await enabled(id), [])
  })

  it('keep what a change does not name, and are one client’s alone', async () => {
    const [id, other] = [await newClient(db, clock), await newClient(db, clock)]
    await setTerms(id, code, { fixed: 25, basisPoints: 150, min: 50, max: 5000 })
    await setTerms(id, code, { amountMin: 500, amountMax: 100_000 })
    const [changed] = await setTerms(id, code, { isEnabled: true, max: null })
    const expected = {
      serviceCode: code,
      isEnabled: true,
      fixed: 25,
      basisPoints: 150,
      min: 50,
      max: null,
      amountMin: 500,
      amountMax: 100_000,
    }
    assert.deepEqual(changed, expected)
    assert.deepEqual(await readTerms(db, id), [expected])
    assert.deepEqual(await readTerms(db, other), [])
  })
})

describe('terms of a service', () => {
  const code = 'WALLETA_SN_CASHOUT'
  const refused: [string, string, Terms, string, string][] = [
    [
      'an unknown service',
      'WALLETZ_SN_CASHIN',
      {},
      'not_found',
      'There is no service WALLETZ_SN_CASHIN',
    ],
    [
      'a negative fee',
      code,
      { fixed: -1 },
      'validation_failed',
      'Fees must be whole numbers, not below zero',
    ],
    [
      'half a point',
      code,
      { basisPoints: 0.5 },
      'validation_failed',
      'Fees must be whole numbers, not below zero',
    ],
    [
      'an amount of zero',
      code,
      { amountMin: 0 },
      'validation_failed',
      'Amounts must be whole numbers above zero',
    ],
    [
      'everything that is wrong, at once',
      'all',
      { min: 2, max: 1, amountMin: 20, amountMax: 10, basisPoints: 10_001 },
      'validation_failed',
      'The highest fee must not be below the lowest; ' +
        'The highest amount must not be below the lowest; ' +
        'A fee cannot be more than 10000 basis points',
    ],
  ]
  for (const [name, serviceCode, what, kind, message] of refused)
    it(`refuse ${name}`, async () => {
      const id = await newClient(db, clock)
      await assert.rejects(setTerms(id, serviceCode, what), { name: 'Refusal', kind, message })
      assert.deepEqual(await readTerms(db, id), [])
    })

  it('are refused for nobody', async () => {
    await assert.rejects(setTerms(999_999, 'all', { isEnabled: true }), { kind: 'not_found' })
  })

  it('changed twice at once keep both changes', async () => {
    for (const _ of range(20)) {
      const id = await newClient(db, clock)
      await Promise.all([setTerms(id, code, { isEnabled: true }), setTerms(id, code, { fixed: 5 })])
      const [terms] = await readTerms(db, id)
      assert.deepEqual([terms?.isEnabled, terms?.fixed], [true, 5])
    }
  })
})

function range(count: number): number[] {
  return [...Array(count).keys()]
}

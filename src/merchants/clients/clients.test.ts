import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { changeClient, clientIdOf, createClient } from './clients.ts'
import { servicesOf } from './offer.ts'
import { findClient } from './store.ts'

const { db, connect } = await testDatabase()
const clock = testClock()
const createdAt = clock.now()
const actor = 'ops'

type Order = Omit<Parameters<typeof createClient>[2], 'actor'>
const create = (order: Order) =>
  db.transaction((tx) => createClient(tx, { clock }, { ...order, actor }))
type Change = Parameters<typeof changeClient>[1]['change']
const change = (id: number, what: Change) =>
  changeClient({ db, clock }, { id, change: what, actor })

describe('a new client', () => {
  const defaults = {
    merchantStatus: 'active',
    tier: 'standard',
    ratePerMinute: 100,
    callbackUrl: null,
    email: null,
    language: 'fr',
    linkLifetimeS: 86_400,
    colour: null,
    address: null,
    taxNumber: null,
    timeZone: 'Africa/Dakar',
    isDemo: false,
    createdAt,
  }
  const scenarios: [string, Order, object][] = [
    ['is of the standard tier', { name: 'Plain' }, {}],
    ['may be given the standard rate', { name: 'Given', tier: 'standard', ratePerMinute: 100 }, {}],
    [
      'may be of the enterprise tier',
      { name: 'Large', tier: 'enterprise', ratePerMinute: 6000 },
      { tier: 'enterprise', ratePerMinute: 6000 },
    ],
    [
      'may have a callback address, and be a demo client',
      { name: 'Demo', callbackUrl: 'https://shop.test/hook', isDemo: true },
      { callbackUrl: 'https://shop.test/hook', isDemo: true },
    ],
    [
      'may have a mail address and a language',
      { name: 'Written', email: 'awa@shop.test', language: 'en' },
      { email: 'awa@shop.test', language: 'en' },
    ],
  ]
  for (const [name, order, expected] of scenarios)
    it(name, async () => {
      const id = await create(order)
      assert.deepEqual(await findClient(db, id), { id, name: order.name, ...defaults, ...expected })
    })

  it('has no services, and is in the audit log', async () => {
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

describe('createClient refuses a client', () => {
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
      'with something else than a mail address',
      { name: 'Lost', email: 'awa@shop.test\r\nBcc: bob@shop.test' },
      'validation_failed',
      /Bcc: bob@shop\.test is not an email address/,
    ],
  ]
  for (const [name, order, kind, message] of refused)
    it(name, async () => {
      if (kind === 'conflict') await create(order)
      await assert.rejects(create(order), { name: 'Refusal', kind, message })
    })

  it('created concurrently under the same name, except for one', async () => {
    const created = await Promise.allSettled(range(8).map(() => create({ name: 'Twin' })))
    assert.equal(created.filter((one) => one.status === 'fulfilled').length, 1)
  })
})

test('clientIdOf finds a client by id or by name, and refuses an unknown one', async () => {
  const id = await create({ name: 'Boutique Démo' })
  assert.equal(await clientIdOf(db, 'Boutique Démo'), id)
  assert.equal(await clientIdOf(db, `${id}`), id)
  for (const unknown of ['999999', 'boutique démo', '', '-1', '99999999999999999999'])
    await assert.rejects(clientIdOf(db, unknown), {
      kind: 'not_found',
      message: `There is no client ${unknown}`,
    })
})

describe('a change of a client', () => {
  // name, changes one after the other, fields at the end
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
      'of its status keeps the rate',
      [{ tier: 'enterprise', ratePerMinute: 500 }, { merchantStatus: 'suspended' }],
      { tier: 'enterprise', ratePerMinute: 500, merchantStatus: 'suspended' },
    ],
    [
      'of the callback address, and its removal',
      [{ callbackUrl: 'https://shop.test' }, { callbackUrl: null }],
      { callbackUrl: null },
    ],
    ['of the lifetime of its links', [{ linkLifetimeS: 300 }], { linkLifetimeS: 300 }],
    [
      'of its mail address and language',
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

  it('to a wrong rate or mail address, or of an unknown client, is refused', async () => {
    const id = await newClient(db, clock)
    const invalid = { kind: 'validation_failed' }
    await assert.rejects(change(id, { ratePerMinute: 500 }), invalid)
    await assert.rejects(change(id, { tier: 'enterprise' }), invalid)
    await assert.rejects(change(id, { email: 'awa' }), invalid)
    await assert.rejects(change(999_999, {}), { kind: 'not_found' })
  })

  it('does not overwrite a concurrent change of another field', async () => {
    const other = connect()
    for (const round of range(20)) {
      const id = await newClient(db, clock)
      const callbackUrl = `https://shop.test/${round}`
      await Promise.all([
        change(id, { merchantStatus: 'suspended' }),
        changeClient({ db: other, clock }, { id, change: { callbackUrl }, actor }),
      ])
      const client = await findClient(db, id)
      assert.deepEqual([client?.merchantStatus, client?.callbackUrl], ['suspended', callbackUrl])
    }
  })
})

function range(count: number): number[] {
  return [...Array(count).keys()]
}

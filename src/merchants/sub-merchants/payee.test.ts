import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Db } from '#data/db/db.ts'
import type { Country } from '#merchants/catalog/countries.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { eventually } from '#test/wait.ts'
import { openSubMerchants } from './open.ts'
import type { Payee } from './payee.ts'
import type { ServableCountry } from './sub-merchant.ts'

const { db, connect } = await testDatabase()
const clock = testClock()
const subMerchants = openSubMerchants({ db, clock })

/** Another process, which counts its statements. */
function otherProcess() {
  const own = connect()
  let statements = 0
  const counting = Object.assign((...statement: Parameters<Db>) => {
    statements += 1
    return own(...statement)
  }, own)
  return { subMerchants: openSubMerchants({ db: counting, clock }), statements: () => statements }
}

function create(clientId: number, commercialName: string, ...countries: ServableCountry[]) {
  const nothing = { description: null, legalName: null, businessActivity: null, managerName: null }
  const nowhere = { websiteUrl: null, phoneNumber: null, city: null, address: null, zipcode: null }
  const facts = { name: 'internal', commercialName, countries, ...nothing, ...nowhere }
  return subMerchants.create(clientId, facts)
}

/** The payee as a short text: its name, or what is wrong. */
function summaryOf(payee: Payee): string {
  if (payee.kind !== 'named') return payee.kind
  return `${payee.payeeName}${payee.subMerchantId === null ? ' (itself)' : ''}`
}

describe('the name that the payer sees', async () => {
  const clientId = await newClient(db, clock)
  const without = await newClient(db, clock)
  const stranger = await newClient(db, clock)
  const usual = await create(clientId, 'Usual', 'SN', 'CM')
  const abroad = await create(clientId, 'Abroad', 'CI', 'BJ')
  const closed = await create(clientId, 'Closed', 'SN')
  const theirs = await create(stranger, 'Theirs', 'SN')
  await subMerchants.change({ clientId, id: closed.id, change: { isActive: false } })

  // the sub-merchant named, the payee by country; ML is a country that cannot be listed
  const table: [name: string, id: string | undefined, wanted: Record<string, string>][] = [
    [
      'no sub-merchant',
      undefined,
      { SN: 'Usual', CM: 'Usual', CI: 'Client (itself)', ML: 'Usual' },
    ],
    ['the default', usual.id, { SN: 'Usual', CM: 'Usual', CI: 'not_in_country', ML: 'Usual' }],
    [
      'another',
      abroad.id,
      { SN: 'not_in_country', CM: 'not_in_country', CI: 'Abroad', ML: 'Abroad' },
    ],
    ['one that is closed', closed.id, all('not_active')],
    ['one of another client', theirs.id, all('not_yours')],
    ['an unknown one', 'sm-000000000000', all('not_yours')],
    ['an empty id', '', all('not_yours')],
    ['an id in capitals', usual.id.toUpperCase(), all('not_yours')],
    ['an id with a space behind it', `${usual.id} `, all('not_yours')],
  ]
  for (const [name, subMerchantId, wanted] of table)
    for (const [country, summary] of Object.entries(wanted))
      it(`for ${name} in ${country}: ${summary}`, async () => {
        const where = country as Country
        const query = { clientId, subMerchantId, country: where, fallbackName: 'Client' }
        const payee = await subMerchants.payeeFor(query)
        assert.equal(summaryOf(payee), summary)
        if (payee.kind === 'not_in_country') assert.equal(payee.country, country)
        if (payee.kind === 'named' && subMerchantId !== undefined)
          assert.equal(payee.subMerchantId, subMerchantId)
      })

  it('does not depend on the country while that is not known', async () => {
    for (const [subMerchantId, summary] of [
      [undefined, 'Usual'],
      [abroad.id, 'Abroad'],
      [closed.id, 'not_active'],
    ] as const) {
      const query = { clientId, subMerchantId, country: undefined, fallbackName: 'Client' }
      assert.equal(summaryOf(await subMerchants.payeeFor(query)), summary)
    }
  })

  it("is the client's own for a client without sub-merchants", async () => {
    const query = { clientId: without, country: 'SN' as const, fallbackName: 'Client' }
    const payee = await subMerchants.payeeFor({ ...query, subMerchantId: undefined })
    assert.deepEqual(payee, { kind: 'named', payeeName: 'Client', subMerchantId: null })
  })

  function all(summary: string): Record<string, string> {
    return { SN: summary, CI: summary, ML: summary }
  }
})

describe('the cache of sub-merchants', () => {
  const queryOf = (clientId: number, subMerchantId?: string) => ({
    clientId,
    subMerchantId,
    country: 'SN' as const,
    fallbackName: 'Client',
  })

  it('reads once for concurrent look-ups, and not again soon after', async () => {
    const clientId = await newClient(db, clock)
    const { id } = await create(clientId, 'Shop', 'SN')
    const without = await newClient(db, clock)
    const process = otherProcess()
    const queries = [queryOf(clientId), queryOf(clientId, id), queryOf(without)]
    const ask = () =>
      Promise.all(
        queries.flatMap((query) =>
          Array.from({ length: 50 }, () => process.subMerchants.payeeFor(query)),
        ),
      )
    // The defaults of two clients in one or two statements, and one sub-merchant.
    await ask()
    const first = process.statements()
    assert.ok(first <= 3, `${first} statements`)
    // On a slow machine an entry may have expired, after half a second, and is read again.
    let again = first
    for (let tries = 0; again !== 0 && tries < 10; tries += 1) {
      const before = process.statements()
      await ask()
      again = process.statements() - before
    }
    assert.equal(again, 0)
  })

  it('finds a new sub-merchant at once, in every process', async () => {
    const clientId = await newClient(db, clock)
    const process = otherProcess()
    for (let times = 0; times < 5; times += 1) {
      const { id } = await create(clientId, `Shop ${times}`, 'SN')
      const payee = await process.subMerchants.payeeFor(queryOf(clientId, id))
      assert.equal(summaryOf(payee), `Shop ${times}`)
    }
  })

  it('does not keep that an id is unknown', async () => {
    const clientId = await newClient(db, clock)
    const process = otherProcess()
    const id = 'sm-00000000beef'
    assert.equal(summaryOf(await process.subMerchants.payeeFor(queryOf(clientId, id))), 'not_yours')
    await db`
      insert into sub_merchants (
        client_id, id, number, name, commercial_name, countries, created_at)
      values (${clientId}, ${id}, 1, 'Late', 'Late', '{SN}', now())`
    assert.equal(summaryOf(await process.subMerchants.payeeFor(queryOf(clientId, id))), 'Late')
  })

  // the change, the payee afterwards by the id, and when none is named
  const table: [change: object, given: string, usual: string][] = [
    [{ commercialName: 'New' }, 'New', 'New'],
    [{ countries: ['CI'] }, 'not_in_country', 'Client (itself)'],
    [{ isActive: false }, 'not_active', 'Client (itself)'],
    [{ isDefault: false }, 'Shop', 'Client (itself)'],
  ]
  for (const [change, given, usual] of table)
    it(`shows a change here at once, and elsewhere soon: ${JSON.stringify(change)}`, async () => {
      const clientId = await newClient(db, clock)
      const { id } = await create(clientId, 'Shop', 'SN')
      const elsewhere = otherProcess().subMerchants
      const seen = async (process: typeof subMerchants) => [
        summaryOf(await process.payeeFor(queryOf(clientId, id))),
        summaryOf(await process.payeeFor(queryOf(clientId))),
      ]
      for (const process of [subMerchants, elsewhere])
        assert.deepEqual(await seen(process), ['Shop', 'Shop'])
      await subMerchants.change({ clientId, id, change })
      assert.deepEqual(await seen(subMerchants), [given, usual])
      await eventually(
        'the other process sees it',
        async () => String(await seen(elsewhere)) === `${given},${usual}`,
      )
    })

  it('shows a new default at once', async () => {
    const clientId = await newClient(db, clock)
    const first = await create(clientId, 'First', 'SN')
    const second = await create(clientId, 'Second', 'SN')
    for (const { id, commercialName } of [second, first, second]) {
      await subMerchants.change({ clientId, id, change: { isDefault: true } })
      assert.equal(summaryOf(await subMerchants.payeeFor(queryOf(clientId))), commercialName)
    }
    await create(clientId, 'Third', 'SN')
    assert.equal(summaryOf(await subMerchants.payeeFor(queryOf(clientId))), 'Second')
  })
})

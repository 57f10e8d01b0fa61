import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newClient } from '../../test/clients.ts'
import { testClock } from '../../test/clock.ts'
import { testDatabase } from '../../test/database.ts'
import { eventually } from '../../test/wait.ts'
import type { Country } from '../catalog/countries.ts'
import type { Db } from '../db/db.ts'
import { openSubMerchants } from './open.ts'
import type { Payee } from './payee.ts'
import type { ServableCountry } from './sub-merchant.ts'

const { db, connect } = await testDatabase()
const clock = testClock()
const subMerchants = openSubMerchants({ db, clock })

/** A process of its own that counts what it asks the database. */
function otherProcess() {
  const own = connect()
  let asked = 0
  const counting = Object.assign((...statement: Parameters<Db>) => {
    asked += 1
    return own(...statement)
  }, own)
  return { subMerchants: openSubMerchants({ db: counting, clock }), asked: () => asked }
}

function make(clientId: number, commercialName: string, ...countries: ServableCountry[]) {
  const nothing = { description: null, legalName: null, businessActivity: null, managerName: null }
  const nowhere = { websiteUrl: null, phoneNumber: null, city: null, address: null, zipcode: null }
  const facts = { name: 'internal', commercialName, countries, ...nothing, ...nowhere }
  return subMerchants.create(clientId, facts)
}

/** The payee in a word: its name, or what is wrong. */
function wordFor(payee: Payee): string {
  if (payee.kind !== 'named') return payee.kind
  return `${payee.payeeName}${payee.subMerchantId === null ? ' (itself)' : ''}`
}

describe('whose name the payer sees', async () => {
  const clientId = await newClient(db, clock)
  const without = await newClient(db, clock)
  const stranger = await newClient(db, clock)
  const usual = await make(clientId, 'Usual', 'SN', 'CM')
  const abroad = await make(clientId, 'Abroad', 'CI', 'BJ')
  const closed = await make(clientId, 'Closed', 'SN')
  const theirs = await make(stranger, 'Theirs', 'SN')
  await subMerchants.change({ clientId, id: closed.id, change: { isActive: false } })

  // who is asked for, in which country, who it is; ML is a country that nobody can name
  const table: [name: string, id: string | undefined, wanted: Record<string, string>][] = [
    ['nobody', undefined, { SN: 'Usual', CM: 'Usual', CI: 'Client (itself)', ML: 'Usual' }],
    ['the default', usual.id, { SN: 'Usual', CM: 'Usual', CI: 'not_in_country', ML: 'Usual' }],
    [
      'another',
      abroad.id,
      { SN: 'not_in_country', CM: 'not_in_country', CI: 'Abroad', ML: 'Abroad' },
    ],
    ['one that is closed', closed.id, all('not_active')],
    ["somebody else's", theirs.id, all('not_yours')],
    ['an unknown one', 'sm-000000000000', all('not_yours')],
    ['no id at all', '', all('not_yours')],
    ['an id in capitals', usual.id.toUpperCase(), all('not_yours')],
    ['an id with more to it', `${usual.id} `, all('not_yours')],
  ]
  for (const [name, subMerchantId, wanted] of table)
    for (const [country, word] of Object.entries(wanted))
      it(`${name} in ${country}: ${word}`, async () => {
        const where = country as Country
        const wish = { clientId, subMerchantId, country: where, fallbackName: 'Client' }
        const payee = await subMerchants.payeeFor(wish)
        assert.equal(wordFor(payee), word)
        if (payee.kind === 'not_in_country') assert.equal(payee.country, country)
        if (payee.kind === 'named' && subMerchantId !== undefined)
          assert.equal(payee.subMerchantId, subMerchantId)
      })

  it('does not matter where, while that is not known', async () => {
    for (const [subMerchantId, word] of [
      [undefined, 'Usual'],
      [abroad.id, 'Abroad'],
      [closed.id, 'not_active'],
    ] as const) {
      const wish = { clientId, subMerchantId, country: undefined, fallbackName: 'Client' }
      assert.equal(wordFor(await subMerchants.payeeFor(wish)), word)
    }
  })

  it("is the client's own without sub-merchants", async () => {
    const wish = { clientId: without, country: 'SN' as const, fallbackName: 'Client' }
    const payee = await subMerchants.payeeFor({ ...wish, subMerchantId: undefined })
    assert.deepEqual(payee, { kind: 'named', payeeName: 'Client', subMerchantId: null })
  })

  function all(word: string): Record<string, string> {
    return { SN: word, CI: word, ML: word }
  }
})

describe('what is remembered', () => {
  const wishOf = (clientId: number, subMerchantId?: string) => ({
    clientId,
    subMerchantId,
    country: 'SN' as const,
    fallbackName: 'Client',
  })

  it('is asked for once by all who come together, and by none soon after', async () => {
    const clientId = await newClient(db, clock)
    const { id } = await make(clientId, 'Shop', 'SN')
    const poor = await newClient(db, clock)
    const process = otherProcess()
    const wishes = [wishOf(clientId), wishOf(clientId, id), wishOf(poor)]
    const ask = () =>
      Promise.all(
        wishes.flatMap((wish) =>
          Array.from({ length: 50 }, () => process.subMerchants.payeeFor(wish)),
        ),
      )
    // The defaults of two clients in one or two statements, and one sub-merchant.
    await ask()
    const first = process.asked()
    assert.ok(first <= 3, `${first} statements`)
    // What was asked half a second ago is asked again, if this machine is that slow.
    let again = first
    for (let tries = 0; again !== 0 && tries < 10; tries += 1) {
      const before = process.asked()
      await ask()
      again = process.asked() - before
    }
    assert.equal(again, 0)
  })

  it('is known at once when it is new, in every process', async () => {
    const clientId = await newClient(db, clock)
    const process = otherProcess()
    for (let times = 0; times < 5; times += 1) {
      const { id } = await make(clientId, `Shop ${times}`, 'SN')
      const payee = await process.subMerchants.payeeFor(wishOf(clientId, id))
      assert.equal(wordFor(payee), `Shop ${times}`)
    }
  })

  it('is not that there is nobody of that id', async () => {
    const clientId = await newClient(db, clock)
    const process = otherProcess()
    const id = 'sm-00000000beef'
    assert.equal(wordFor(await process.subMerchants.payeeFor(wishOf(clientId, id))), 'not_yours')
    await db`
      insert into sub_merchants (
        client_id, id, number, name, commercial_name, countries, created_at)
      values (${clientId}, ${id}, 1, 'Late', 'Late', '{SN}', now())`
    assert.equal(wordFor(await process.subMerchants.payeeFor(wishOf(clientId, id))), 'Late')
  })

  // what is changed, who is seen afterwards by the id, and when none is named
  const table: [change: object, given: string, usual: string][] = [
    [{ commercialName: 'New' }, 'New', 'New'],
    [{ countries: ['CI'] }, 'not_in_country', 'Client (itself)'],
    [{ isActive: false }, 'not_active', 'Client (itself)'],
    [{ isDefault: false }, 'Shop', 'Client (itself)'],
  ]
  for (const [change, given, usual] of table)
    it(`changes at once here, and soon elsewhere: ${JSON.stringify(change)}`, async () => {
      const clientId = await newClient(db, clock)
      const { id } = await make(clientId, 'Shop', 'SN')
      const elsewhere = otherProcess().subMerchants
      const seen = async (process: typeof subMerchants) => [
        wordFor(await process.payeeFor(wishOf(clientId, id))),
        wordFor(await process.payeeFor(wishOf(clientId))),
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

  it('follows the default when it moves', async () => {
    const clientId = await newClient(db, clock)
    const first = await make(clientId, 'First', 'SN')
    const second = await make(clientId, 'Second', 'SN')
    for (const { id, commercialName } of [second, first, second]) {
      await subMerchants.change({ clientId, id, change: { isDefault: true } })
      assert.equal(wordFor(await subMerchants.payeeFor(wishOf(clientId))), commercialName)
    }
    await make(clientId, 'Third', 'SN')
    assert.equal(wordFor(await subMerchants.payeeFor(wishOf(clientId))), 'Second')
  })
})

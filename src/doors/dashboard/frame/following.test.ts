import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fastify from 'fastify'
import { systemClock } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import type { Http } from '#edge/http/http.ts'
import type { ShownBySession } from '#merchants/people/sessions/store.ts'
import { settle } from '#money/ledger/settlement.ts'
import { payoutFile, upload } from '#test/batches.ts'
import { type SignedIn, signedInAs, signedInOperator } from '#test/dashboard.ts'
import { askFor as ask, followOf } from '#test/following.ts'
import { newLink, untilSeen } from '#test/links.ts'
import { call, collected, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { confirmed, upload as sendFile } from '#test/recon-forms.ts'
import { csvOf, lineOf } from '#test/statement-maker.ts'
import { eventually } from '#test/wait.ts'
import { addFollowing, type MarkReaders } from './following.ts'

const gateway = await liveGateway({ pace: 50 })
const { url, db } = gateway

/** A merchant of its own, with its owner. */
async function newOwner() {
  const merchant = await gateway.newMerchant()
  const own = { ...gateway, ...merchant }
  return { own, person: await signedInAs(own, 'owner') }
}

/** Something happens: a page that was as it is shown is told, and reads itself again. */
async function assertFollows(person: SignedIn, path: string, happen: () => Promise<unknown>) {
  const before = await followOf(person, path)
  assert.equal(await ask(person, before), 204, path)
  await happen()
  await eventually(`${path} is told`, async () => (await ask(person, before)) === 205)
  // What follows a payment, such as its event, may be a change of its own.
  await eventually(`${path} is as it is shown`, async () => {
    return (await ask(person, await followOf(person, path))) === 204
  })
}

describe('an open page', () => {
  for (const path of ['', '/transactions', '/links', '/balance'])
    it(`of a whole client is told of its payments: /dashboard${path}`, async () => {
      const { own, person } = await newOwner()
      await assertFollows(person, `/dashboard${path}`, () => collected(own))
    })

  it('of a whole client is told of a deposit and of a new link, and not of others', async () => {
    const { own, person } = await newOwner()
    const stranger = await newOwner()
    const theirs = await followOf(stranger.person, '/dashboard')
    const now = systemClock.now()
    const fund = { clientId: own.clientId, amount: 1234, ref: 'bank', actor: 'test', now }
    await assertFollows(person, '/dashboard', () => db.transaction((tx) => settle(tx, fund)))
    await assertFollows(person, '/dashboard/links', () => newLink(own))
    assert.equal(await ask(stranger.person, theirs), 204)
  })

  it('of a transaction is told of its refund', async () => {
    const { own, person } = await newOwner()
    const id = await collected(own)
    const path = `/dashboard/transactions/${id}`
    await eventually('its event is sent, which is a change of its page', async () => {
      const [tried] = await db`
        select from deliveries where client_id = ${own.clientId} and tries > 0`
      return tried !== undefined
    })
    await assertFollows(person, path, () =>
      call(own, `POST /api/v1/transaction/refund/${id}`, { amount: 100, reason: 'a dent' }),
    )
  })

  it('of a link is told that it is paid', async () => {
    const { own, person } = await newOwner()
    const id = await newLink(own)
    await assertFollows(person, `/dashboard/links/${id}`, async () => {
      const order = { serviceCode: 'WALLETA_SN_CASHOUT', phone: '771234567' }
      await own.links.checkout.pay(id, order)
      await untilSeen(own, id, 'paid')
    })
  })

  it('of a batch is told how far it is', async () => {
    const { own, person } = await newOwner()
    const line = '771234567;500;WALLETA_SN_CASHIN;Awa'
    const { id } = await upload(gateway, own.clientId, payoutFile([line]))
    const by = (actor: string) => ({ clientId: own.clientId, id, actor })
    const path = `/dashboard/batches/${id}`
    await assertFollows(person, path, () => own.batches.propose(by('awa')))
    await assertFollows(person, path, () => own.batches.approve(by('binta')))
    await eventually('it has ended', async () => {
      const address = await followOf(person, path)
      if ((await person.get(path)).visible.includes('1 of 1')) return true
      await eventually('it is told', async () => (await ask(person, address)) === 205)
      return false
    })
  })

  it('of a statement is told that its file is imported', async () => {
    const person = await signedInOperator(gateway)
    const file = csvOf([await lineOf(db, await collected(gateway))])
    const { location } = await sendFile(person, { file })
    let statement = ''
    await assertFollows(person, location, async () => {
      await person.post(location, confirmed)
      statement = await eventually('it is imported', async () => {
        const { text } = await person.get(location)
        return /href="(\/dashboard\/ops\/recon\/statements\/[0-9a-f-]+)"/.exec(text)?.[1]
      })
    })
    assert.equal(await ask(person, await followOf(person, statement)), 204)
  })

  it('is told at its next question that its person signed out', async () => {
    const { person } = await newOwner()
    const address = await followOf(person, '/dashboard')
    assert.equal(await ask(person, address), 204)
    await person.post('/dashboard/sign-out', {}, { from: '/dashboard' })
    assert.equal(await ask(person, address), 205)
    assert.equal((await person.get('/dashboard')).status, 303)
    assert.equal(await ask({ url, cookie: 'session=none' }, address), 205)
    assert.equal(await ask({ url, cookie: '' }, address), 205)
  })

  it('is told at its next question that its person has another role, or none', async () => {
    const { own } = await newOwner()
    const { clientId } = own
    const change = {
      another: () => db`update memberships set role = 'viewer' where client_id = ${clientId}`,
      none: () => db`delete from memberships where client_id = ${clientId}`,
    }
    for (const [role, happen] of Object.entries(change)) {
      const person = await signedInAs(own, role === 'another' ? 'admin' : 'support')
      const address = await followOf(person, '/dashboard')
      assert.equal(await ask(person, address), 204)
      await happen()
      assert.equal(await ask(person, address), 205, role)
    }
  })

  it('of an operator is told of the gateway, and that a person is none any more', async () => {
    const person = await signedInOperator(gateway)
    const address = await followOf(person, '/dashboard/ops')
    await db`update people set operator_role = null where email = ${person.email}`
    assert.equal(await ask(person, address), 205)
  })
})

describe('a question', () => {
  it('about another client tells nothing', async () => {
    const { person } = await newOwner()
    const stranger = await newOwner()
    const theirs = await followOf(stranger.person, '/dashboard')
    const address = (id: number | string) => theirs.replace(/as=[^.]+/, `as=${id}`)
    assert.equal(await ask(person, theirs), 205)
    assert.equal(await ask(person, address('ops')), 404)
    assert.equal(await ask(person, address('1; select')), 404)
  })

  it('about nothing that there is is none', async () => {
    const { own, person } = await newOwner()
    const of = (query: string) =>
      ask(person, `/dashboard/changes?as=${own.clientId}.owner&mark=1&${query}`)
    for (const query of ['', 'of=client&id=x', 'of=batch&id=', 'of=batch&id=1', 'of=health&id='])
      assert.equal(await of(query), 404, query)
    const unknown = newId(systemClock.now())
    for (const kind of ['batch', 'link', 'transaction'])
      assert.equal(await of(`of=${kind}&id=${unknown}`), 205, kind)
  })

  it('costs no statement of its own, however many are asked at once', async () => {
    const statements: string[][] = []
    const read = async (keys: string[]) => {
      statements.push(keys)
      return new Map(keys.map((key) => [key, 'm']))
    }
    const shown: ShownBySession = { clientId: 7, role: 'owner', operatorRole: null }
    const sessions: number[] = []
    const http = fastify() as unknown as Http
    addFollowing(http, {
      isHttps: false,
      people: {
        sessions: {
          shownBy: async (values) => {
            sessions.push(values.length)
            return new Map(values.map((value) => [value, shown]))
          },
        },
      },
      marks: new Proxy({} as MarkReaders, { get: () => read }),
    })
    const asked = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        http.inject({
          url: `/dashboard/changes?of=client&id=&as=7.owner&mark=${index < 199 ? 'm' : 'old'}`,
          headers: { cookie: `session=${index % 50}` },
        }),
      ),
    )
    const counts = Map.groupBy(asked, ({ statusCode }) => statusCode)
    assert.deepEqual([counts.get(204)?.length, counts.get(205)?.length], [199, 1])
    // A busy machine may take more than one look at all of them.
    assert.ok(sessions.length <= 3, sessions.join())
    assert.ok(statements.length <= sessions.length)
    assert.deepEqual(new Set(statements.flat()), new Set(['7']))
    await http.close()
  })
})

it('watching moves no money', () => assertMoney(gateway))

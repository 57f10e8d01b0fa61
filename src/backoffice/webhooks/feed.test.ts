import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { WebSocket } from 'undici'
import { systemClock as clock } from '#base/kit/clock.ts'
import type { Db } from '#data/db/db.ts'
import { type KeyRight, keyRights } from '#merchants/clients/key-rights.ts'
import { issueKey, revokeKey, rotateKey } from '#merchants/clients/keys.ts'
import type { KeyScope } from '#merchants/clients/scope.ts'
import { pay, topUpBody } from '#test/bills.ts'
import { newLink } from '#test/links.ts'
import { call, collected, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { announce, endedTransaction, openReceiver } from '#test/receiver.ts'
import { usualTest as it, sized } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import type { Webhooks } from './open.ts'
import { readEvents } from './store.ts'

const live = await liveGateway({ pace: 20 })
const { db, newMerchant } = live
// As other processes do: nothing but the database tells this one.
const other = live.connect()
const owner = live.connect({ asOwner: true })
type Caller = { url: string; secret: string; clientId: number; keyId: string }

/** A merchant with a key. */
async function merchant(): Promise<Caller> {
  const { clientId, secret } = await newMerchant(0)
  const [key] = await db<{ id: string }>`select id from api_keys where client_id = ${clientId}`
  return { url: live.url, clientId, secret, keyId: key?.id ?? '' }
}

/** Writes events of a key, from this process or another. */
async function addEvents(
  { clientId, keyId }: Caller,
  count: number,
  writer: { db: Db; webhooks: Webhooks } = live,
): Promise<void> {
  const ended = Array.from({ length: count }, () => endedTransaction({ clientId, keyId }))
  await announce({ db: writer.db, webhooks: writer.webhooks }, ended)
}

const read = (caller: Caller, query = '') => call(caller, `GET /api/v1/events${query}`)
const cursorsOf = (events: { cursor: string }[]) => events.map(({ cursor }) => Number(cursor))
const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe('the feed of events', () => {
  it('has every event once, in order, and can be read from any position', async () => {
    const caller = await merchant()
    const empty = await read(caller)
    assert.deepEqual(empty.body, { success: true, events: [], next: '0' })
    await addEvents(caller, 25)
    const { body } = await read(caller)
    assert.deepEqual([cursorsOf(body.events), body.next], [upTo(25), '25'])
    const pages: number[] = []
    for (let after = '0'; ; ) {
      const page = (await read(caller, `?after=${after}&limit=7`)).body
      if (page.events.length === 0) break
      pages.push(...cursorsOf(page.events))
      after = page.next
    }
    assert.deepEqual(pages, upTo(25))
    assert.deepEqual((await read(caller, '?after=start')).body, body)
    const late = await read(caller, '?after=999999999999999')
    assert.deepEqual(late.body, { success: true, events: [], next: '999999999999999' })
    const [row] = await db<{ id: string; body: string }>`
      select id, body from events where client_id = ${caller.clientId} and position = 1`
    const [first] = body.events
    assert.deepEqual([first.id, first.event], [`evt_${row?.id}`, JSON.parse(row?.body ?? '')])
  })

  const bad = [
    ...['-1', 'x', '1.5', '', '1e3', '1234567890123456', '1&after=2'].map((one) => `after=${one}`),
    ...['0', '1001', '-1', 'ten', '', '01'].map((one) => `limit=${one}`),
  ]
  it('refuses invalid parameters with 400', async () => {
    const caller = await merchant()
    for (const query of bad) {
      const { status, body } = await read(caller, `?${query}`)
      assert.deepEqual([query, status, body.code], [query, 400, 'VALIDATION_FAILED'])
      if (query.startsWith('limit='))
        assert.deepEqual(body.message, ['limit must be a whole number from 1 to 1000'])
    }
    for (const query of ['limit=1', 'limit=1000', 'after=0&limit=999', 'after=start'])
      assert.equal((await read(caller, `?${query}`)).status, 200, query)
  })

  it('shows a merchant its own events only', async () => {
    const [one, other] = [await merchant(), await merchant()]
    await addEvents(one, 3)
    assert.deepEqual((await read(other)).body.events, [])
    await addEvents(other, 1)
    assert.equal((await read(one)).body.events.length, 3)
    assert.equal((await read(other)).body.events.length, 1)
  })

  test('skips no event for a constant reader while other transactions commit late', async (t) => {
    const caller = await merchant()
    const processes = [live, ...(await Promise.all([connected(), connected()]))]
    const total = sized(100, 300)
    let written = 0
    const writer = async (own: { db: Db; webhooks: Webhooks }) => {
      while (written < total) {
        written += 1
        const { clientId, keyId } = caller
        const ended = [endedTransaction({ clientId, keyId })]
        const isSlow = written % 20 === 0
        await own.db.transaction(async (tx) => {
          await tx`select pg_sleep(${Math.random() / 100})`
          await own.webhooks.announce(tx, ended, new Date())
          await tx`select pg_sleep(${isSlow ? 0.1 : Math.random() / 200})`
        })
      }
    }
    const seen: number[] = []
    let polls = 0
    const writing = Promise.all(processes.flatMap((own) => [writer(own), writer(own), writer(own)]))
    let isOver = false
    const end = () => {
      isOver = true
    }
    void writing.then(end, end)
    for (let after = '0', isLast = false; ; polls += 1) {
      const { body } = await read(caller, `?after=${after}&limit=50`)
      seen.push(...cursorsOf(body.events))
      after = body.next
      if (isLast && body.events.length === 0) break
      isLast = isOver
    }
    await writing
    t.diagnostic(`${seen.length} events in ${polls} reads`)
    assert.deepEqual(seen, upTo(written))
  })

  async function connected() {
    const { webhooks } = await live.newProcess()
    return { db: live.connect(), webhooks }
  }
})

interface Stream {
  cursors: number[]
  text(): string
  isOver(): boolean
  leave(): void
}

/** Listens as server-sent events. */
async function listen(
  { url, secret }: Caller,
  query = '',
  headers: Record<string, string> = {},
): Promise<Stream & { status: number }> {
  const leaving = new AbortController()
  const answer = await fetch(`${url}/api/v1/events/stream${query}`, {
    headers: { Authorization: `Bearer ${secret}`, ...headers },
    signal: leaving.signal,
  })
  const cursors: number[] = []
  let text = ''
  let isOver = false
  const reading = async () => {
    const decoder = new TextDecoder()
    for await (const part of answer.body ?? []) {
      text += decoder.decode(part, { stream: true })
      const found = [...text.matchAll(/^id: (\d+)\nevent/gm)].map(([, id]) => Number(id))
      cursors.splice(0, cursors.length, ...found)
    }
  }
  void reading()
    .catch(() => {})
    .finally(() => {
      isOver = true
    })
  return {
    status: answer.status,
    cursors,
    text: () => text,
    isOver: () => isOver,
    leave: () => leaving.abort(),
  }
}

/** Listens over a WebSocket. */
function connect(
  { url }: Caller,
  query: string,
  how: { headers?: Record<string, string>; protocols?: string[] },
): Stream & { isOpen(): boolean; code(): number; reason(): string; socket: WebSocket } {
  const target = `${url.replace('http', 'ws')}/api/v1/events/stream${query}`
  const socket = new WebSocket(target, how)
  const cursors: number[] = []
  let text = ''
  let [code, reason] = [0, '']
  socket.addEventListener('message', ({ data }) => {
    text += data
    cursors.push(Number(JSON.parse(String(data)).cursor))
  })
  socket.addEventListener('close', (event) => {
    ;({ code, reason } = event)
  })
  socket.addEventListener('error', () => {})
  return {
    socket,
    cursors,
    text: () => text,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    isOver: () => socket.readyState === WebSocket.CLOSED,
    code: () => code,
    reason: () => reason,
    leave: () => socket.close(),
  }
}

const withKey = ({ secret }: Caller) => ({ headers: { Authorization: `Bearer ${secret}` } })

describe('streams of events', () => {
  it('send past events, then new ones, in order, also those of other processes', async () => {
    const caller = await merchant()
    await addEvents(caller, 150)
    const other = await live.newProcess()
    const sse = await listen(caller, '?after=start')
    const sockets = [
      connect(caller, '?after=0', withKey(caller)),
      connect(caller, '?after=start', { protocols: [`bearer.${caller.secret}`] }),
    ]
    const all = [sse, ...sockets]
    const reach = (last: number) =>
      eventually(`${last} events`, () => all.every(({ cursors }) => cursors.at(-1) === last))
    await reach(150)
    await addEvents(caller, 5)
    await reach(155)
    await addEvents(caller, 5, { db: live.connect(), webhooks: other.webhooks })
    await reach(160)
    for (const { cursors } of all) assert.deepEqual(cursors, upTo(160))
    assert.match(sse.text(), /^id: 1\nevent: event\ndata: \{"id":"evt_[^\n]+\}\n\n/m)
    assert.equal(sockets[1]?.socket.protocol, `bearer.${caller.secret}`)
    for (const one of all) one.leave()
  })

  it('begin now, or after a position: `after`, or Last-Event-ID, which goes first', async () => {
    const caller = await merchant()
    await addEvents(caller, 10)
    const now = connect(caller, '', withKey(caller))
    await eventually('the WebSocket is open', () => now.isOpen())
    const streams = [
      [now, 11],
      [await listen(caller), 11],
      [await listen(caller, '', { 'last-event-id': 'x' }), 11],
      [await listen(caller, '?after=start'), 1],
      [await listen(caller, '?after=start', { 'last-event-id': '3' }), 4],
      [await listen(caller, '?after=7'), 8],
      [await listen(caller, '', { 'last-event-id': '4' }), 5],
      [await listen(caller, '?after=2', { 'last-event-id': '9' }), 10],
      [await listen(caller, '?after=6', { 'last-event-id': 'x' }), 7],
      [connect(caller, '?after=8', withKey(caller)), 9],
    ] as const
    const [, [begun]] = streams
    await eventually('the place where it begins', () => begun.text().includes('\nid: 10\n\n'))
    await addEvents(caller, 1)
    for (const [stream, first] of streams) {
      await eventually('the last event', () => stream.cursors.at(-1) === 11)
      assert.deepEqual(stream.cursors, upTo(11, first))
      stream.leave()
    }
  })

  it('need a valid key, and show a merchant its own events only', async () => {
    const [caller, stranger] = [await merchant(), await merchant()]
    await addEvents(stranger, 3)
    assert.equal((await listen({ ...caller, secret: 'sk_sandbox_wrong' })).status, 401)
    assert.equal((await listen(caller, '?after=x')).status, 400)
    const wrong = [
      connect(caller, '', {}),
      connect(caller, '', { protocols: ['bearer.sk_sandbox_wrong'] }),
      connect(caller, '', { headers: { Authorization: 'Bearer sk_sandbox_wrong' } }),
      connect(caller, '?after=x', withKey(caller)),
    ]
    for (const socket of wrong) {
      await eventually('a refusal', () => socket.isOver())
      assert.deepEqual(socket.cursors, [])
    }
    const own = await listen(caller)
    await addEvents(caller, 1)
    await eventually('its own event', () => own.cursors.length > 0)
    assert.deepEqual(own.cursors, [1])
    own.leave()
  })

  it('are limited to 20 a client, and one that ends frees its place', async () => {
    const [caller, other] = [await merchant(), await merchant()]
    const open = await Promise.all(Array.from({ length: 20 }, () => listen(caller)))
    assert.deepEqual(new Set(open.map(({ status }) => status)), new Set([200]))
    assert.equal((await listen(caller)).status, 429)
    const socket = connect(caller, '', withKey(caller))
    await eventually('the refusal of the 21st', () => socket.isOver())
    assert.equal(socket.code(), 1013)
    const free = await listen(other)
    assert.equal(free.status, 200)
    for (const one of [...open, free]) one.leave()
    await eventually('a free place', async () => {
      const again = await listen(caller)
      again.leave()
      return again.status === 200
    })
  })

  it('end when the server stops, and do not delay it', async () => {
    const { url, app, webhooks } = await live.newProcess()
    const caller = { ...(await merchant()), url }
    await addEvents(caller, 1)
    const sse = await listen(caller, '?after=start')
    const socket = connect(caller, '?after=start', withKey(caller))
    await eventually('an event on both', () => sse.cursors.length + socket.cursors.length === 2)
    webhooks.feed.close()
    await app.http.close()
    await eventually('the end of both', () => sse.isOver() && socket.isOver())
    // What is cut off, after 15 seconds, has no code of ours.
    assert.equal(socket.code(), 1001)
  })

  const ends: [string, (caller: Caller) => Promise<unknown>][] = [
    ['is revoked', ({ keyId }) => revokeKey({ db: other, clock }, { id: keyId, actor: 'test' })],
    [
      'has another secret',
      ({ keyId: id }) =>
        rotateKey({ db: other, clock, mode: 'sandbox' }, { id, overlapMs: 0, actor: 'test' }),
    ],
    [
      'may not be used from their address',
      ({ keyId }) => owner`
        update api_keys set allowed_addresses = '{192.0.2.0/24}' where id = ${keyId}`,
    ],
  ]
  for (const [what, end] of ends)
    it(`end when their key ${what}, and those of other keys go on`, async () => {
      const [caller, stranger] = [await merchant(), await merchant()]
      const sse = await listen(caller)
      const socket = connect(caller, '?after=start', withKey(caller))
      const going = await listen(stranger)
      await addEvents(caller, 1)
      await eventually('an event on both', () => sse.cursors.length + socket.cursors.length === 2)
      await end(caller)
      await eventually('the end of both', () => sse.isOver() && socket.isOver())
      assert.deepEqual([socket.code(), socket.reason()], [1008, 'this key is no longer valid'])
      await addEvents(caller, 1)
      await addEvents(stranger, 1)
      await eventually('an event on the other', () => going.cursors.length === 1)
      assert.deepEqual([sse.cursors, socket.cursors, going.isOver()], [[1], [1], false])
      going.leave()
    })
})

describe('what a key sees', () => {
  it('is what was created with it, or with the scope client all of its client', async () => {
    const { clientId } = await newMerchant()
    const newKey = async (scope: KeyScope, rights: readonly KeyRight[] = keyRights) => {
      const order = { clientId, label: scope, scope, rights, actor: 'test' }
      const { id: keyId, secret } = await db.transaction((tx) =>
        issueKey(tx, { clock, mode: 'sandbox' }, order),
      )
      return { url: live.url, clientId, keyId, secret }
    }
    const till = await newKey('key')
    const shop = await newKey('key')
    const boss = await newKey('client')
    const reader = await newKey('key', ['read'])
    const auditor = await newKey('client', ['read'])

    const { url: callBackURL } = await openReceiver()
    const topUp = (await pay(till, topUpBody({ callBackURL }))).body.transaction
    const link = await newLink(till)
    const paidId = await collected({ ...live, ...shop }, { callBackURL })
    const refund = (who: Caller, body = {}) =>
      call(who, `POST /api/v1/transaction/refund/${paidId}`, { callBackURL, ...body })
    assert.equal((await refund(till)).status, 404)
    const refundId = (await refund(boss)).body.transaction.transactionId
    await until(boss, refundId, isEnd)

    const all = [topUp.transactionId, link, paidId, refundId]
    const external = [topUp.externalTransactionId]
    const views: [string, Caller, string[], string[]][] = [
      ['till', till, [topUp.transactionId, link], external],
      ['shop', shop, [paidId], []],
      ['boss', boss, all, external],
      ['reader', reader, [], []],
      ['auditor', auditor, all, external],
    ]
    for (const [name, key, seen, seenExternal] of views) {
      const found: string[] = []
      for (const id of [...all, ...external])
        if ((await call(key, `GET /api/v1/transaction/${id}`)).status === 200) found.push(id)
      assert.deepEqual([name, found], [name, [...seen, ...seenExternal]])
      const isLink = (await call(key, `GET /api/v1/merchant/${link}`)).status === 200
      assert.equal(isLink, seen.includes(link), name)

      // The link has no event yet.
      const told = seen.filter((id) => id !== link)
      const feed = await read(key)
      assert.deepEqual(idsOf(feed.body.events), told, name)
      assert.equal(feed.text.includes(topUp.token), told.includes(topUp.transactionId), name)
      const showsBalance = name !== 'reader' && name !== 'auditor'
      const balances = (text: string) =>
        [...text.matchAll(/BALANCE":(\d+)/g)].filter(([, amount]) => amount !== '0').length
      assert.equal(balances(feed.text) > 0, showsBalance && told.length > 0, name)
      const sse = await listen(key, '?after=start')
      const socket = connect(key, '?after=start', withKey(key))
      const streams = [sse, socket]
      await eventually('the past events', () =>
        streams.every(({ cursors }) => cursors.length === told.length),
      )
      for (const { text } of streams)
        assert.deepEqual(
          [...text().matchAll(/"event":\{"id":"([^"]+)/g)].map(([, id]) => id),
          told,
        )
      for (const { text } of streams) assert.equal(balances(text()), balances(feed.text), name)
      for (const stream of streams) stream.leave()
    }

    const events = (await read(boss)).body.events
    const replays = [till, shop, boss].map((key) =>
      Promise.all(
        events.map(
          async ({ id }: { id: string }) =>
            (await call(key, `POST /api/v1/events/${id}/replay`)).status,
        ),
      ),
    )
    // In the order of the events: the top-up, the payment, its refund.
    assert.deepEqual(await Promise.all(replays), [
      [200, 404, 404],
      [404, 200, 404],
      [200, 200, 200],
    ])
    await assertMoney({ db })
  })

  it('is read without the events of other keys', async () => {
    const [busy, quiet] = [await merchant(), await merchant()]
    await addEvents(busy, 300)
    await addEvents({ ...quiet, clientId: busy.clientId }, 1)
    const rowsRead = await owner.transaction(async (tx) => {
      const count = async () => {
        const [row] = await tx<{ rows: number }>`
          select idx_tup_fetch as rows from pg_stat_xact_user_tables where relname = 'events'`
        return row?.rows ?? 0
      }
      const before = await count()
      const viewer = { clientId: busy.clientId, keyId: quiet.keyId }
      assert.equal((await readEvents(tx, viewer, 0, 100)).length, 1)
      return (await count()) - before
    })
    assert.equal(rowsRead, 1)
  })
})

function idsOf(events: { event: { id: string } }[]): string[] {
  return events.map(({ event }) => event.id)
}

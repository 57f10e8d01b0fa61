import assert from 'node:assert/strict'
import { describe, it, mock, test } from 'node:test'
import { openLog } from '#base/log/log.ts'
import { type Db, identifier } from '#data/db/db.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { fakeMonotonicClock } from '#test/fake-time.ts'
import { eventually } from '#test/wait.ts'
import { authenticator } from './authenticate.ts'
import { changeClient } from './clients.ts'
import { keyRights } from './key-rights.ts'
import { readKeys } from './key-store.ts'
import { hashSecret, type IssuedKey, issueKey, revokeKey, rotateKey } from './keys.ts'
import { openKeyWatch } from './watch-keys.ts'

const hourMs = 3_600_000
const { db, connect } = await testDatabase()
const clock = testClock()
const actor = 'ops'
const deps = { clock, mode: 'sandbox' } as const
const unknownId = '018f0000-0000-7000-8000-000000000000'

type Order = Partial<Parameters<typeof issueKey>[2]>
const issue = (clientId: number, order: Order = {}): Promise<IssuedKey> =>
  db.transaction((tx) => issueKey(tx, deps, { clientId, label: 'main', actor, ...order }))
const rotate = (id: string, overlapMs = 0) => rotateKey({ db, ...deps }, { id, overlapMs, actor })
const revoke = (id: string) => revokeKey({ db, clock }, { id, actor })
/** The caller, looked up without a cached result. */
const whoIs = (secret: string) => authenticator({ db, clock })(secret)

describe('a secret', () => {
  for (const mode of ['sandbox', 'live'] as const)
    it(`of ${mode} mode has that mode's prefix and 256 random bits`, async () => {
      const clientId = await newClient(db, clock)
      const issued = await db.transaction((tx) =>
        issueKey(tx, { clock, mode }, { clientId, label: 'main', actor }),
      )
      const [, random = ''] = issued.secret.split(`sk_${mode}_`)
      assert.match(random, /^[\w-]{43}$/)
      assert.equal(Buffer.from(random, 'base64url').length, 32)
      const [key] = await readKeys(db, clientId)
      assert.deepEqual([key?.prefix, key?.lastFour], [`sk_${mode}_`, random.slice(-4)])
    })

  it('is stored nowhere in the database', async () => {
    const { id, secret } = await issue(await newClient(db, clock))
    const { secret: rotated } = await rotate(id)
    const stored = (await everything()).join('\n')
    assert.ok(stored.includes(hashSecret(secret)), 'the search sees its hash')
    for (const text of [secret, rotated].map((one) => one.replace('sk_sandbox_', ''))) {
      assert.ok(!stored.includes(text))
      assert.ok(!stored.includes(Buffer.from(text).toString('hex')))
      assert.ok(!stored.includes(Buffer.from(text, 'base64url').toString('hex')))
    }
  })

  const wrong: [string, (secret: string) => string][] = [
    ['another secret', () => 'sk_sandbox_unknown'],
    ['an empty text', () => ''],
    ['its hash', (secret) => hashSecret(secret)],
    ['a part of it', (secret) => secret.slice(0, -1)],
    ['it in upper case', (secret) => secret.toUpperCase()],
    ['it with a space at the end', (secret) => `${secret} `],
  ]
  for (const [name, change] of wrong)
    it(`is not matched by ${name}`, async () => {
      const { secret } = await issue(await newClient(db, clock))
      assert.equal(await whoIs(change(secret)), undefined)
    })
})

describe('a key', () => {
  it('identifies the caller and what it may do', async () => {
    const clientId = await newClient(db, clock)
    const { id, secret } = await issue(clientId)
    const caller = {
      clientId,
      keyId: id,
      secretHash: hashSecret(secret),
      rights: [...keyRights],
      scope: 'key',
      allowedAddresses: [],
      ratePerMinute: 100,
      merchantStatus: 'active',
    }
    assert.deepEqual(await whoIs(secret), caller)
    const order = {
      rights: ['read', 'refund'] as ('read' | 'refund')[],
      scope: 'client' as const,
      allowedAddresses: ['10.1.2.3', '192.168.0.7/24', '::1', '2001:db8::1/32'],
      ratePerMinute: 7,
    }
    const narrow = await issue(clientId, order)
    assert.deepEqual(await whoIs(narrow.secret), {
      ...caller,
      ...order,
      keyId: narrow.id,
      secretHash: hashSecret(narrow.secret),
      allowedAddresses: ['10.1.2.3/32', '192.168.0.0/24', '::1/128', '2001:db8::/32'],
    })
    await changeClient(
      { db, clock },
      { id: clientId, change: { merchantStatus: 'suspended' }, actor },
    )
    assert.equal((await whoIs(secret))?.merchantStatus, 'suspended')
  })

  it('is revoked without effect on the client’s other keys', async () => {
    const clientId = await newClient(db, clock)
    const one = await issue(clientId, { label: 'one' })
    clock.advance(1)
    const two = await issue(clientId, { label: 'two' })
    await revoke(one.id)
    assert.equal(await whoIs(one.secret), undefined)
    assert.equal((await whoIs(two.secret))?.keyId, two.id)
    assert.deepEqual(
      (await readKeys(db, clientId)).map((key) => [key.label, key.revokedAt]),
      [
        ['two', null],
        ['one', clock.now()],
      ],
    )
  })

  it('has each step in the audit log, without its secret', async () => {
    const clientId = await newClient(db, clock)
    const { id } = await issue(clientId)
    await rotate(id, hourMs)
    await revoke(id)
    const trace = await db`
      select actor, action, details from audit_log
      where client_id = ${clientId} and action like 'key.%' order by id`
    assert.deepEqual(trace, [
      {
        actor,
        action: 'key.issue',
        details: { keyId: id, label: 'main', rights: [...keyRights], scope: 'key' },
      },
      { actor, action: 'key.rotate', details: { keyId: id, overlapMs: hourMs } },
      { actor, action: 'key.revoke', details: { keyId: id } },
    ])
  })
})

describe('rotation', () => {
  it('keeps the key’s id, and the old secret valid until the overlap ends', async () => {
    const { id, secret: old } = await issue(await newClient(db, clock))
    const { id: same, secret: fresh } = await rotate(id, hourMs)
    assert.equal(same, id)
    const keyIds = async () => [(await whoIs(old))?.keyId, (await whoIs(fresh))?.keyId]
    assert.deepEqual(await keyIds(), [id, id])
    clock.advance(hourMs - 1)
    assert.deepEqual(await keyIds(), [id, id])
    clock.advance(1)
    assert.deepEqual(await keyIds(), [undefined, id])
  })

  it('without overlap ends the old secret at once', async () => {
    const { id, secret } = await issue(await newClient(db, clock))
    await rotate(id, 0)
    assert.equal(await whoIs(secret), undefined)
  })

  it('never postpones the end of a secret', async () => {
    const { id, secret: first } = await issue(await newClient(db, clock))
    const { secret: second } = await rotate(id, hourMs)
    const { secret: third } = await rotate(id, 2 * hourMs)
    clock.advance(hourMs)
    const known = await Promise.all([first, second, third].map(whoIs))
    assert.deepEqual(
      known.map((caller) => caller?.keyId),
      [undefined, id, id],
    )
  })

  it('done twice concurrently leaves two valid secrets', async () => {
    const { id } = await issue(await newClient(db, clock))
    const both = await Promise.all([rotate(id, hourMs), rotate(id, hourMs)])
    for (const { secret } of both) assert.equal((await whoIs(secret))?.keyId, id)
  })
})

describe('it is refused', () => {
  const scenarios: [string, () => Promise<unknown>, string, RegExp][] = [
    [
      'to issue a key for an unknown client',
      () => issue(999_999),
      'not_found',
      /There is no client 999999/,
    ],
    ['to rotate an unknown key', () => rotate(unknownId), 'not_found', /There is no key 018f0000/],
    ['to revoke an unknown key', () => revoke(unknownId), 'not_found', /There is no key 018f0000/],
    [
      'to revoke by something else than an id',
      () => revoke('main'),
      'not_found',
      /There is no key main/,
    ],
    ['to revoke by 36 dashes', () => revoke('-'.repeat(36)), 'not_found', /There is no key ---/],
    ['to rotate a revoked key', () => revoked().then(rotate), 'conflict', /is revoked/],
    ['to revoke a revoked key', () => revoked().then(revoke), 'conflict', /is revoked/],
  ]
  const revoked = async () => {
    const { id } = await issue(await newClient(db, clock))
    await revoke(id)
    return id
  }
  for (const [name, order, kind, message] of scenarios)
    it(name, async () => {
      await assert.rejects(order(), { name: 'Refusal', kind, message })
    })
})

test('a key with invalid networks is refused, and all of them are named', async () => {
  const bad = ['10.0.0', '10.0.0.1/33', '10.0.0.1/', '::1/129', '10.0.0.1/8/8', 'fe80::1%eth0']
  const order = { allowedAddresses: ['10.0.0.1', ...bad, 'localhost', ''] }
  const issuing = issue(await newClient(db, clock), order)
  await assert.rejects(issuing, {
    kind: 'validation_failed',
    message: [...bad, 'localhost', '']
      .map((one) => `${one} is not an address or network`)
      .join('; '),
  })
})

test('every process refuses a revoked key within a second', async () => {
  const time = fakeMonotonicClock()
  const { id, secret } = await issue(await newClient(db, clock))
  const processes = [authenticator({ db, clock }), authenticator({ db: connect(), clock })]
  for (const known of processes) assert.equal((await known(secret))?.keyId, id)
  await revoke(id)
  time.advance(1000)
  for (const known of processes) assert.equal(await known(secret), undefined)
})

test('watched keys are checked by one statement, and end alone', async () => {
  mock.timers.enable({ apis: ['setInterval'] })
  let statements = 0
  const counted = new Proxy(db, {
    apply: (target, _self, parameters: Parameters<Db>) => {
      statements += 1
      return target(...parameters)
    },
  })
  const watchKey = openKeyWatch({ db: counted, clock, log: openLog('silent') })
  const watches = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const { id, secret } = await issue(await newClient(db, clock))
      const caller = await whoIs(secret)
      assert.ok(caller)
      return { id, ...watchKey(caller, '127.0.0.1') }
    }),
  )
  const [first, second, ...others] = watches
  assert.ok(first && second)
  await revoke(first.id)
  await rotate(second.id, 0)
  mock.timers.tick(500)
  await eventually('the end of both', () => first.ended.aborted && second.ended.aborted)
  assert.equal(first.ended.reason, 'this key is no longer valid')
  assert.deepEqual([statements, others.filter(({ ended }) => ended.aborted)], [1, []])
  watches.forEach(({ leave }) => leave())
  mock.timers.tick(5000)
  assert.equal(statements, 1)
  mock.timers.reset()
})

/** Every row of every table, as text. */
async function everything(): Promise<string[]> {
  const tables = await db<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`
  const rows = await Promise.all(
    tables.map(({ name }) => db<{ row: string }>`select t::text as row from ${identifier(name)} t`),
  )
  return rows.flat().map(({ row }) => row)
}

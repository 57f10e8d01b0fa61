import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { beforeEach, describe, it, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '#base/config/config.ts'
import { testDatabase } from '#test/database.ts'
import { fakeTime } from '#test/fake-time.ts'
import { statement } from '#test/statement.ts'
import { eventually } from '#test/wait.ts'
import { columns, type Db, identifier, json, openDb, type Tx } from './db.ts'
import { CommitUnknown, DatabaseSilent, sqlStateOf } from './errors.ts'
import { openDatabaseServer } from './server.ts'

const { db, connect, url } = await testDatabase()
const owner = connect({ asOwner: true })
await owner`create table scratch (id text primary key, amount bigint not null)`
await owner`grant all on scratch to passerelle_app`

beforeEach(async () => {
  await owner`truncate scratch`
  await owner`insert into scratch values ('a', 10), ('b', 10)`
})

const amounts = async () =>
  (await db<{ amount: number }>`select amount from scratch order by id`).map((row) => row.amount)

describe('a statement', () => {
  const values: [string, unknown, string][] = [
    ['a text that looks like SQL', `'); drop table scratch; --`, 'text'],
    ['a text with a dollar sign', '$1', 'text'],
    ['a number', 5, 'integer'],
    ['null', null, 'text'],
    ['true', true, 'boolean'],
    ['a date', new Date('2026-01-15T10:00:00.123Z'), 'timestamptz'],
    ['bytes', Buffer.from([0, 255]), 'bytea'],
    ['a list', ['x', `y"'`, null], 'text[]'],
    ['the largest exact number', Number.MAX_SAFE_INTEGER, 'bigint'],
    ['the smallest exact number', Number.MIN_SAFE_INTEGER, 'bigint'],
  ]
  for (const [name, value, type] of values)
    it(`sends ${name} as a parameter and reads it back`, async () => {
      const [row] = await db(statement('select ', `::${type} as value`), value)
      assert.deepEqual(row, { value })
    })

  it('keeps several parameters apart, and runs again with other values', async () => {
    const minus = (a: number, b: number) => db`select ${a}::int - ${b}::int as d`
    assert.deepEqual(await minus(7, 2), [{ d: 5 }])
    assert.deepEqual(await minus(2, 7), [{ d: -5 }])
  })

  it('sends structures as JSON', async () => {
    const value = { list: [1, null, `'"`], deep: { é: true } }
    const [row] = await db`select ${json(value)}::jsonb as value`
    assert.deepEqual(row, { value })
  })

  it('refuses a bigint beyond 2^53, and the connection stays usable', async () => {
    for (const beyond of ['9007199254740992', '-9007199254740992', '9223372036854775807'])
      await assert.rejects(db`select ${beyond}::bigint as value`, /beyond exact numbers/)
    assert.deepEqual(await amounts(), [10, 10])
  })

  it('runs in UTC, as the application role, with generic plans', async () => {
    const [row] = await db`
      select current_user::text as role, current_setting('timezone') as zone,
        current_setting('plan_cache_mode') as plans, current_setting('jit') as jit`
    assert.deepEqual(row, {
      role: 'passerelle_app',
      zone: 'UTC',
      plans: 'force_generic_plan',
      jit: 'off',
    })
  })
})

describe('identifier', () => {
  it('writes a name into the text, another one at each call', async () => {
    const read = (column: string, id: string) =>
      db`select ${identifier(column)} as value from ${identifier('scratch')} where id = ${id}`
    assert.deepEqual(await read('amount', 'b'), [{ value: 10 }])
    assert.deepEqual(await read('id', 'b'), [{ value: 'b' }])
  })

  it('renames columns to their names in the code', async () => {
    const names = columns(['client_id', 'id'])
    const [row] = await db`select ${names} from (values (1, 'a')) as t (client_id, id)`
    assert.deepEqual(row, { clientId: 1, id: 'a' })
    assert.throws(() => columns(['id', 'id; drop table x']), /not an identifier/)
  })

  for (const name of ['', 'Scratch', 'scratch; drop table x', 'a"b', 'a.b', 'a1', 'a\n'])
    it(`refuses ${JSON.stringify(name)}`, () => {
      assert.throws(() => identifier(name), /not an identifier/)
    })
})

describe('a transaction', () => {
  it('commits and returns the result of the work', async () => {
    assert.equal(await db.transaction(async (tx) => (await add(tx, 'a', 1), 'done')), 'done')
    assert.deepEqual(await amounts(), [11, 10])
  })

  it('rolls everything back when the work throws', async () => {
    const work = async (tx: Tx) => {
      await add(tx, 'a', 1)
      throw new Error('no')
    }
    await assert.rejects(db.transaction(work), /^Error: no$/)
    assert.deepEqual(await amounts(), [10, 10])
  })

  it('fails when the work swallows the error of a statement', async () => {
    const work = async (tx: Tx) => {
      await add(tx, 'a', 1)
      await tx`select 1 / 0`.catch(() => {})
      return 'done'
    }
    await assert.rejects(db.transaction(work), /rolled back/)
    assert.deepEqual(await amounts(), [10, 10])
  })

  it('is a type of its own: a Db is not a Tx, nor a Tx a Db', () => {
    const needsTx = (tx: Tx) => tx
    // @ts-expect-error a Db is not a Tx: each of its statements commits on its own
    needsTx(db)
    const needsDb = (one: Db) => one
    // @ts-expect-error a Tx is not a Db
    assert.ok((tx: Tx) => needsDb(tx))
  })
})

describe('a statement of its own that collides', () => {
  it('is sent again after a deadlock', async () => {
    let update: Promise<unknown> = Promise.resolve()
    await owner.transaction(async (tx) => {
      // Only the other one looks for a deadlock, so it is the one that fails.
      await tx`set local deadlock_timeout = '60s'`
      await add(tx, 'b', 1)
      update = db`update scratch set amount = amount + 1`
      await eventually('it waits', async () => {
        const waiting = await owner`select 1 from pg_locks where not granted`
        return waiting.length > 0
      })
      await add(tx, 'a', 1)
    })
    await update
    assert.deepEqual(await amounts(), [12, 12])
  })
})

describe('a transaction that collides', () => {
  it('is run again after a deadlock', async () => {
    const pass = barrier(2)
    let tries = 0
    const move = (from: string, to: string) =>
      db.transaction(async (tx) => {
        tries += 1
        await add(tx, from, -1)
        await pass()
        await add(tx, to, 1)
      })
    await Promise.all([move('a', 'b'), move('b', 'a')])
    // One of the two is chosen to be run again, on a slow machine perhaps each of them in turn.
    assert.ok(tries >= 3)
    assert.deepEqual(await amounts(), [10, 10])
  })

  it('is run again after a serialization failure', async () => {
    const pass = barrier(2)
    let tries = 0
    const swap = (from: string, to: string) =>
      db.transaction(async (tx) => {
        tries += 1
        await tx`set transaction isolation level serializable`
        const [row] = await tx<{ amount: number }>`select amount from scratch where id = ${from}`
        await pass()
        await tx`update scratch set amount = ${(row?.amount ?? 0) + 1} where id = ${to}`
      })
    await Promise.all([swap('a', 'b'), swap('b', 'a')])
    assert.equal(tries, 3)
    const [one = 0, other = 0] = await amounts()
    assert.deepEqual([Math.min(one, other), Math.max(one, other)], [11, 12]) // one after the other
  })

  // SQLSTATE, how often the work is tried
  const failures: [string, number][] = [
    ['40001', 5],
    ['40P01', 5],
    ['23505', 1],
    ['57014', 1],
  ]
  for (const [code, expected] of failures)
    it(`that always fails with ${code} is tried ${expected} times`, async () => {
      let tries = 0
      const work = async (tx: Tx) => {
        tries += 1
        await tx`select set_config('test.code', ${code}, true)`
        await tx`do $$ begin
          raise exception using errcode = current_setting('test.code');
        end $$`
      }
      await assert.rejects(db.transaction(work), (problem) => sqlStateOf(problem) === code)
      assert.equal(tries, expected)
    })
})

describe('a group’s transaction', () => {
  it('of several clients gives up at a lock before one that waits for its own locks', async () => {
    const waitMs = (...clientIds: number[]) =>
      db.groupTransaction(clientIds, async (tx) => {
        const [row] = await tx<{ ms: number }>`
          select setting::integer as ms from pg_settings where name = 'lock_timeout'`
        return row?.ms ?? 0
      })
    const [shared, own] = [await waitMs(1, 2, 1), await waitMs(2, 2)]
    assert.ok(shared > 0 && shared * 4 < own, `${shared} and ${own} ms`)
  })
})

describe('a connection that breaks', () => {
  it('between two statements fails only that transaction', async () => {
    const work = async (tx: Tx) => {
      await add(tx, 'a', 1)
      const [row] = await tx<{ pid: number }>`select pg_backend_pid() as pid`
      await owner`select pg_terminate_backend(${row?.pid}::int, 5000)`
      await add(tx, 'b', 1)
    }
    await assert.rejects(db.transaction(work))
    assert.deepEqual(await amounts(), [10, 10])
  })

  it('at COMMIT makes the transaction fail with CommitUnknown', async () => {
    await owner`create function hang_up() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`
    await owner`create constraint trigger hang_up after update on scratch
      deferrable initially deferred for each row execute function hang_up()`
    try {
      const asOwner = owner.transaction((tx) => add(tx, 'a', 1))
      await assert.rejects(asOwner, CommitUnknown)
    } finally {
      await owner`drop function hang_up cascade`
    }
    assert.deepEqual(await amounts(), [10, 10])
  })
})

it('a server is silent after three seconds, in which this process has to be running', async (t) => {
  const sockets: Socket[] = []
  const mute = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
  await once(mute, 'listening')
  const { port } = mute.address() as AddressInfo
  const time = fakeTime()
  const silent = openDb({ url: `postgresql://nobody@127.0.0.1:${port}/nothing` })
  t.after(() => {
    time.restore()
    for (const socket of sockets) socket.destroy()
    mute.close()
  })
  const problems: Error[] = []
  const ask = () => void silent`select 1`.catch((problem: Error) => problems.push(problem))
  ask()
  // It is asked after a second. Then this process stops for as long as it waits for the answer.
  await time.pass(1600)
  time.jump(3000)
  await time.pass(5)
  ask()
  await time.pass(5)
  assert.equal(problems.length, 0)
  await time.pass(3600)
  ask()
  await time.pass(5)
  assert.ok(problems.at(-1) instanceof DatabaseSilent)
})

test('a session is one connection, and its locks end with it even when it fails', async () => {
  const pids = await db.session(async (run) => [
    ...(await run`select pg_backend_pid() as pid`),
    ...(await run`select pg_backend_pid() as pid`),
  ])
  assert.deepEqual(pids[0], pids[1])
  const failing = db.session(async (run) => {
    await run`select pg_advisory_lock(42)`
    throw new Error('no')
  })
  await assert.rejects(failing, /^Error: no$/)
  await owner.session(async (run) => {
    await run`set lock_timeout = '5s'`
    await run`select pg_advisory_lock(42)`
  })
})

describe('the role of the application', () => {
  it('is in force in every connection, or the connection is refused', async () => {
    const isApplication = async (one: Db) => {
      const [row] = await one<{ role: string }>`select current_user as role`
      return row?.role === 'passerelle_app'
    }
    assert.ok(await isApplication(db))
    // The driver lets an address replace the pool's own settings, the role among them.
    const sly = openDb({ url: `${url}&options=-c%20jit=off`, role: 'passerelle_app' })
    const refused = /acts as passerelle and not as passerelle_app/
    await assert.rejects(isApplication(sly), refused)
    await assert.rejects(
      sly.transaction(async (tx) => tx`select 1`),
      refused,
    )
    await sly.close()
  })

  it('may not change the ledger, or no pool is opened', async () => {
    const server = await openDatabaseServer(readConfig({ DATABASE_URL: url }))
    await server.open()
    await owner`grant update, truncate on ledger_entries to passerelle_app`
    await assert.rejects(
      server.open(),
      /may truncate ledger_entries, update ledger_entries: revoke/,
    )
    await owner`revoke update, truncate on ledger_entries from passerelle_app`
    await server.open()
    await server.close()
  })
})

test('load() counts busy and waiting connections', async () => {
  const { open, idle, waiting } = db.load()
  assert.deepEqual({ busy: open - idle, waiting }, { busy: 0, waiting: 0 })
  await db.transaction(async () => {
    assert.equal(db.load().open - db.load().idle, 1)
  })
})

async function add(tx: Tx, id: string, amount: number): Promise<void> {
  await tx`update scratch set amount = amount + ${amount} where id = ${id}`
}

/** A barrier: the first `count` callers wait for each other; later callers pass at once. */
function barrier(count: number): () => Promise<void> {
  const all = Promise.withResolvers<void>()
  let here = 0
  return () => {
    here += 1
    if (here === count) all.resolve()
    return all.promise
  }
}

describe('a transaction that has failed', () => {
  it('refuses further statements of work that still runs', async () => {
    const { promise: later, resolve } = Promise.withResolvers<void>()
    let late: Promise<unknown> = Promise.resolve()
    const work = db.transaction(async (tx) => {
      late = later.then(() => tx`insert into maintenance values ('late', '', now())`)
      await Promise.all([
        late,
        tx`insert into maintenance values ('early', '', now())`,
        Promise.reject(failure),
      ])
    })
    await assert.rejects(work, failure)
    resolve()
    await assert.rejects(late, /the transaction is over/)
    assert.deepEqual(await db`select scope from maintenance`, [])
  })
})

test('close resolves when the server has ended the sessions, not before', async () => {
  const closing = openDb({ url })
  const [session] = await closing<{ pid: number }>`select pg_backend_pid() as pid`
  assert.ok(session)
  const order: string[] = []
  process.kill(session.pid, 'SIGSTOP')
  const closed = closing.close().then(() => order.push('closed'))
  await sleep(200)
  order.push('the server goes on')
  process.kill(session.pid, 'SIGCONT')
  await closed
  assert.deepEqual(order, ['the server goes on', 'closed'])
})

const failure = new Error('on purpose')

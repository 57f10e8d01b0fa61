import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { withClient } from '#data/db/client.ts'
import { type Db, openDb, type Tx } from '#data/db/db.ts'
import { migrateUp, readMigrations } from '#data/db/migrate.ts'
import { migrationsFolder } from '#data/db/server.ts'
import { administer, inDatabase, template } from './administer.ts'
import { haveServer } from './own-server.ts'
import { eventually } from './wait.ts'

/** The size of the pools of tests. */
export const connectionsMax = 10
// A starved machine takes longer than the gateway's own ten seconds.
const connectWithinMs = 120_000

export interface TestDatabase {
  url: string
  db: Db
  /** Another pool, as another process would have; `asOwner` may do what the application may not. */
  connect(options?: { asOwner?: boolean }): Db
  /** Closes all of its connections, so that it can be copied. */
  close(): Promise<void>
}

/**
 * A fresh migrated database of this test file's own, dropped when its tests are over; or a copy of
 * another one, which nobody is connected to.
 */
export async function testDatabase(source?: TestDatabase): Promise<TestDatabase> {
  const { url, drop } = await copyOf(source === undefined ? template : nameOf(source.url))
  return opened(url, drop)
}

function opened(url: string, drop: () => Promise<void>): TestDatabase {
  const pools: Db[] = []
  const connect = (options: { asOwner?: boolean } = {}) => {
    const role = options.asOwner ? {} : { role: 'passerelle_app' }
    const db = openDb({ url, connectionsMax, connectWithinMs, name: 'test', ...role })
    pools.push(db)
    return db
  }
  const close = async () => void (await Promise.all(pools.splice(0).map((db) => db.close())))
  after(async () => {
    await close()
    await drop()
  })
  return { url, db: connect(), connect, close }
}

/** Waits until so many sessions of a database wait for locks that others hold. */
/** Lets a transaction wait for others longer than a merchant's may: a busy machine is slow. */
export async function holdLong(tx: Tx): Promise<void> {
  await tx`select set_config('idle_in_transaction_session_timeout', '0', true)`
}

export async function untilBlocked(owner: Db, count = 1): Promise<void> {
  await eventually(`${count} sessions wait for a lock`, async () => {
    const waiting = await owner`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return waiting.length >= count
  })
}

/**
 * A database without a schema `public`: its tables are in another one, which its login owns and
 * finds by its search_path.
 */
export async function databaseInSchema(schema: string): Promise<TestDatabase> {
  const { url, drop } = await copyOf('template1')
  const name = nameOf(url)
  await withClient({ url }, async (client) => {
    await client.query(`create role ${name} login; grant passerelle_app to ${name};
      create schema ${schema} authorization ${name}; drop schema public;
      alter role ${name} set search_path = ${schema}`)
  })
  const own = url.replace('//passerelle@', `//${name}@`)
  await migrateUp(own, await readMigrations(migrationsFolder))
  return opened(own, async () => {
    await drop()
    await administer(inDatabase(url, template), `drop role ${name}`)
  })
}

/** An empty database without our schema, for tests of migrations. */
export async function emptyDatabase(): Promise<string> {
  const { url, drop } = await copyOf('template1')
  after(drop)
  return url
}

async function copyOf(source: string): Promise<{ url: string; drop(): Promise<void> }> {
  const server = await haveServer()
  const name = `test_${randomBytes(6).toString('hex')}`
  // Copies files instead of writing every page to the log of changes: a third of the time.
  await administer(server, `create database ${name} template ${source} strategy file_copy`)
  const drop = () => administer(server, `drop database ${name} with (force)`)
  return { url: inDatabase(server, name), drop }
}

function nameOf(databaseUrl: string): string {
  return new URL(databaseUrl.replace('@/', '@socket/')).pathname.slice(1)
}

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Registry } from '@prometheus-io/client'
import { testPair } from '../../test/postgres-pair.ts'
import { eventually } from '../../test/wait.ts'
import { readDatabaseUrl } from '../config/database-url.ts'
import { standbyGauge } from '../run/standby-metrics.ts'
import type { Db } from './db.ts'
import { openDb } from './db.ts'
import { CommitUnknown, DatabaseSilent } from './errors.ts'
import { primaryOf } from './primary.ts'
import { isDatabaseUnreachable } from './unreachable.ts'

// The tests build on each other, in this order: `one` is the primary, then `two`.
const { one, two, urlOf } = await testPair()
const pools: Db[] = []
function open(url: string): Db {
  const db = openDb({ url, role: 'passerelle_app', connectionsMax: 4, name: 'test' })
  pools.push(db)
  return db
}
after(() => Promise.all(pools.map((db) => db.close())))

const db = open(urlOf(two, one))
const write = (scope: string, to = db) =>
  to.transaction((tx) => tx`insert into maintenance values (${scope}, '', now())`)
const scopes = async (from = db) =>
  (await from<{ scope: string }>`select scope from maintenance order by scope`).map(
    ({ scope }) => scope,
  )
/** Writes until it succeeds; what comes before must say that the database is away. */
const untilWritten = (scope: string) =>
  eventually(`${scope} is written`, () =>
    write(scope).then(
      () => true,
      (problem: unknown) => {
        assert.ok(isDatabaseUnreachable(problem), String(problem))
        return false
      },
    ),
  )

const registry = new Registry()
const countStandby = standbyGauge(db, registry)
/** What the metric says: 1 while commits wait for a standby. */
async function shownAsSynchronous(): Promise<string | undefined> {
  await countStandby()
  return (await registry.metrics()).match(/^passerelle_database_synchronous (\d)$/m)?.[1]
}

describe('an address of several servers', () => {
  it('must not ask for anything but the primary', () => {
    const refused: string[] = []
    const url = 'postgresql://u@a,b/x?target_session_attrs=any'
    assert.equal(
      readDatabaseUrl(url, (sentence) => refused.push(sentence)),
      null,
    )
    assert.match(refused.join(), /target_session_attrs=read-write: a gateway needs the primary/)
  })

  it('leads to the one that takes changes, whichever place it has', async () => {
    await write('first')
    await write('again', open(urlOf(one, two)))
    assert.equal(await primaryOf(urlOf(two, one)), urlOf(one))
    await db.ping()
    assert.deepEqual(await scopes(), ['again', 'first'])
  })

  it('leads nowhere while only a standby answers: at once, not after a time limit', async () => {
    await assert.rejects(write('no', open(urlOf(two))), DatabaseSilent)
    await assert.rejects(open(urlOf(two)).ping(), DatabaseSilent)
  })

  it('is left when its server turns read-only, and goes on by itself when that ends', async () => {
    await one.sql('alter system set default_transaction_read_only = on')
    await one.sql('select pg_reload_conf()')
    await eventually('writes are refused', () =>
      write(`try-${Math.random()}`).then(
        () => false,
        (problem: unknown) => problem instanceof DatabaseSilent,
      ),
    )
    await assert.rejects(db.ping())
    await one.sql('alter system reset default_transaction_read_only')
    await one.sql('select pg_reload_conf()')
    await untilWritten('writable')
  })

  it('is left for the standby that was promoted, by all kinds of connections', async () => {
    await eventually('the standby has it', async () => {
      const { rows } = await one.sql(
        'select bool_and(replay_lsn = pg_current_wal_lsn()) as yes from pg_stat_replication',
      )
      return rows[0].yes === true
    })
    await one.kill()
    await assert.rejects(write('nobody'), (problem) => isDatabaseUnreachable(problem))
    await assert.rejects(db.ping())
    await two.sql('select pg_promote()')
    await untilWritten('promoted')
    await db.ping()
    assert.equal(await primaryOf(urlOf(one, two)), urlOf(two))
    assert.ok((await scopes()).includes('first'))
  })

  it('does not lead to an old primary that runs again', async () => {
    await one.start()
    // One that knew the new timeline, one that begins, and one whose own server is lost.
    await write('new one')
    const begins = open(urlOf(one, two))
    assert.ok((await scopes(begins)).includes('promoted'))
    await two.kill()
    await assert.rejects(write('old one'), (problem) => isDatabaseUnreachable(problem))
    await assert.rejects(scopes(), (problem) => isDatabaseUnreachable(problem))
    await two.start()
    await untilWritten('back')
    await one.kill()
  })
})

describe('a commit that its standby does not confirm', () => {
  it('is unknown after ten seconds; reads go on, writes do not, until it is back', async () => {
    await two.sql("alter system set synchronous_standby_names = 'nobody'")
    await two.sql('select pg_reload_conf()')
    // Commits wait as soon as the server's own processes have read the setting.
    let unknown = ''
    await eventually('a commit waits', () => {
      unknown = `unknown-${Math.random()}`
      return write(unknown).then(
        () => false,
        (problem: unknown) => problem instanceof CommitUnknown,
      )
    })
    assert.ok((await scopes()).includes('back'))
    assert.equal(await shownAsSynchronous(), '1')
    await assert.rejects(write('refused'), (problem) => isDatabaseUnreachable(problem))
    await assert.rejects(db.ping(), /commits wait for the standby/)
    await two.sql('alter system reset synchronous_standby_names')
    await two.sql('select pg_reload_conf()')
    await untilWritten('confirmed')
    const all = await scopes()
    assert.deepEqual([all.includes(unknown), all.includes('refused')], [true, false])
    await db.ping()
    assert.equal(await shownAsSynchronous(), '0')
  })
})

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { testServer } from '#test/postgres-server.ts'
import { eventually } from '#test/wait.ts'
import { openDb } from './db.ts'
import { CommitUnknown } from './errors.ts'
import { isDatabaseUnreachable } from './unreachable.ts'

const server = await testServer()
await server.start()
const { url } = server
const db = openDb({ url, role: 'passerelle_app', connectionsMax: 4, name: 'test' })
after(() => db.close())

const write = (scope: string) =>
  db.transaction((tx) => tx`insert into maintenance values (${scope}, '', now())`)
const scopes = async () =>
  (await db<{ scope: string }>`select scope from maintenance order by scope`).map(
    ({ scope }) => scope,
  )
async function set(change: string): Promise<void> {
  await server.sql(`alter system ${change}`)
  await server.sql('select pg_reload_conf()')
}
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

describe('a server that takes no changes', () => {
  it('is not there for what writes, and goes on by itself when that ends', async () => {
    await write('before')
    await set('set default_transaction_read_only = on')
    await eventually('writes are refused', () =>
      write(`try-${Math.random()}`).then(
        () => false,
        (problem: unknown) => isDatabaseUnreachable(problem),
      ),
    )
    await assert.rejects(db.ping())
    assert.ok((await scopes()).includes('before'))
    await set('reset default_transaction_read_only')
    await untilWritten('writable')
  })
})

describe('a commit that its standby does not confirm', () => {
  it('is unknown after ten seconds; reads go on, writes do not, until it is back', async () => {
    await set("set synchronous_standby_names = 'nobody'")
    // Commits wait as soon as the server's own processes have read the setting.
    let unknown = ''
    await eventually('a commit waits', () => {
      unknown = `unknown-${Math.random()}`
      return write(unknown).then(
        () => false,
        (problem: unknown) => problem instanceof CommitUnknown,
      )
    })
    assert.ok((await scopes()).includes('writable'))
    await assert.rejects(write('refused'), (problem) => isDatabaseUnreachable(problem))
    await assert.rejects(db.ping(), /commits wait for the standby/)
    await set('reset synchronous_standby_names')
    await untilWritten('confirmed')
    const all = await scopes()
    assert.deepEqual([all.includes(unknown), all.includes('refused')], [true, false])
    await db.ping()
  })
})

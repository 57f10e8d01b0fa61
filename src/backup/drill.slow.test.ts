import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { untilArchived } from '../../test/archived.ts'
import { call, initBody } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import { allEnd, databaseOf, killPostmaster } from '../../test/outages.ts'
import { dataFolder, runProgram, startGateway } from '../../test/program.ts'
import { sized } from '../../test/size.ts'
import { statement } from '../../test/statement.ts'
import { eventually } from '../../test/wait.ts'
import { readConfig } from '../config/config.ts'
import { openDb } from '../db/db.ts'
import { systemClock as clock } from '../kit/clock.ts'
import { listBases } from './archive.ts'
import { backupKeyOf } from './key.ts'
import { proveRestored } from './prove-restored.ts'
import type { Restored } from './restore.ts'
import { restore } from './restore.ts'
import { readBackupState } from './state-store.ts'

const callers = 4
const payments = sized(20, 60, 3000)
const key = backupKeyOf(readConfig({}))

/** A payment as its merchant knows it. */
interface Payment {
  externalId: string
  sentMs: number
  /** When 201 arrived; undefined: no answer came. */
  acknowledgedMs?: number
}

/** Pays from several callers until it is ended, and keeps a journal of it. */
function startJournal(caller: { url: string; secret: string }) {
  const journal: Payment[] = []
  let isOver = false
  const loops = Array.from({ length: callers }, async () => {
    while (!isOver) {
      const body = initBody({ amount: 500 })
      const payment: Payment = { externalId: body.externalTransactionId, sentMs: Date.now() }
      journal.push(payment)
      // The gateway dies under it.
      const answer = await call(caller, 'POST /api/v1/transaction/init', body).catch(() => null)
      if (answer?.status === 201) payment.acknowledgedMs = Date.now()
      // Enough payments while a base backup is waited for, and time for others on the machine.
      await sleep(sized(200, 200, 0))
    }
  })
  const acknowledged = () => journal.filter((one) => one.acknowledgedMs !== undefined)
  return {
    acknowledged,
    journal,
    more: (count: number) => {
      const goal = acknowledged().length + count
      return eventually(`${goal} payments`, () => acknowledged().length >= goal)
    },
    end: async () => {
      isOver = true
      await Promise.all(loops)
    },
  }
}

describe('the drill: a crash, and a restore from the archive', async () => {
  const folder = await dataFolder('migrated')
  const archive = await mkdtemp(join(tmpdir(), 'archive-'))
  after(() => rm(archive, { recursive: true, force: true }))
  const environment = { DATA_DIR: folder, BACKUP_DIR: archive, LAB_PORT: '0' }
  let gateway = await startGateway(environment)
  const db = databaseOf(folder)
  const caller = { url: gateway.url, secret: 'sk_sandbox_demo_enterprise' }
  const load = startJournal(caller)

  // Load, a base backup under load, more load, a moment, more load.
  await load.more(payments)
  await eventually(
    'a base backup',
    async () => (await listBases({ folder: archive, key })).bases[0],
  )
  await eventually('the base is shown', async () => (await readBackupState(db))?.baseAt)
  await load.more(payments)
  const momentMs = Date.now()
  await load.more(payments)
  // Something after the moment is in the archive.
  await untilArchived((text) => db(statement(text)))

  // A crash of everything at once, in the middle of payments.
  await db.close()
  const killedMs = Date.now()
  await Promise.all([gateway.stop('SIGKILL'), killPostmaster(folder)])
  await load.end()
  const idsBefore = (ms: number) =>
    load.acknowledged().flatMap((one) => ((one.acknowledgedMs ?? 0) < ms ? [one.externalId] : []))

  /** Restores into a folder of its own, proves it, and tells which payments are in it. */
  async function restored(to?: Date): Promise<Restored & { ids: Set<string> }> {
    let ids = new Set<string>()
    const into = await mkdtemp(join(tmpdir(), 'restored-'))
    after(() => rm(into, { recursive: true, force: true }))
    const found = await restore({
      folder: archive,
      key,
      into,
      to,
      keep: false,
      programs: null,
      clock,
      inspect: async (url) => {
        assert.deepEqual((await proveRestored(url)).breaks, [])
        const pool = openDb({ url, connectionsMax: 1 })
        const rows = await pool<{ id: string }>`select external_id as id from transactions`
        await pool.close()
        ids = new Set(rows.map(({ id }) => id))
      },
    })
    return { ...found, ids }
  }

  it('to a moment: all that was acknowledged before it, nothing sent after it', async () => {
    const { ids, lastCommitAt } = await restored(new Date(momentMs))
    assert.deepEqual(
      idsBefore(momentMs).filter((id) => !ids.has(id)),
      [],
    )
    const later = load.journal.filter(({ sentMs }) => sentMs > momentMs)
    assert.ok(later.length >= payments / 2)
    assert.deepEqual(
      later.filter(({ externalId }) => ids.has(externalId)),
      [],
    )
    assert.ok(lastCommitAt !== null && lastCommitAt.getTime() <= momentMs)
  })

  it('to the end: all that was acknowledged before the archive ends', async (t) => {
    const { ids, archivedUntil } = await restored()
    assert.ok(archivedUntil !== null && archivedUntil.getTime() > momentMs)
    const lost = load.acknowledged().filter(({ externalId }) => !ids.has(externalId))
    const firstLostMs = Math.min(...lost.map((one) => one.acknowledgedMs ?? 0), killedMs)
    t.diagnostic(`${lost.length} lost, acknowledged ${killedMs - firstLostMs} ms before the kill`)
    // A commit may be answered while the server tells its position.
    assert.deepEqual(
      idsBefore(archivedUntil.getTime() - 1000).filter((id) => !ids.has(id)),
      [],
    )
  })

  it('with the log of the crashed server: nothing is lost, and payments go on', async () => {
    const wal = join(folder, 'postgres/pg_wal')
    const command = ['restore', archive, '--wal', wal, '--replace', '--verify']
    const { code, stdout, stderr } = await runProgram(command, { DATA_DIR: folder })
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, /the ledger holds/)
    assert.match(stdout, /is now .*postgres\.before-restore-\d{8}T\d{6}Z/)

    gateway = await startGateway(environment)
    const own = databaseOf(folder)
    await allEnd(own)
    const rows = await own<{ id: string }>`select external_id as id from transactions`
    const ids = new Set(rows.map(({ id }) => id))
    assert.deepEqual(
      idsBefore(Number.POSITIVE_INFINITY).filter((id) => !ids.has(id)),
      [],
    )
    await assertMoney({ db: own })

    // The restored server begins a timeline of its own, which the archive follows.
    await eventually('a base backup of the new timeline', async () =>
      (await listBases({ folder: archive, key })).bases.some(({ timeline }) => timeline === 2),
    )
    await own.close()
    assert.equal((await gateway.stop()).code, 0)
  })
})

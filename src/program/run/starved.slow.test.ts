import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { readConfig } from '#base/config/config.ts'
import { sendSignal } from '#data/postgres/embedded.ts'
import { knownLabUrl } from '#program/sandbox/lab.ts'
import { copyFolder } from '#test/copy-folder.ts'
import { call, initBody } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { allEnd, assertHonest, becomesReady, databaseOf, startPayments } from '#test/outages.ts'
import { childrenOf, labOf, postmasterOf, preparedCluster, startGateway } from '#test/program.ts'
import { eventually } from '#test/wait.ts'

const run = promisify(execFile)
const diskMegabytes = 240

/** A disk of its own; undefined where mounting is not allowed. */
async function smallDisk(): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-disk-'))
  const options = ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m,mode=755`]
  const isMounted = await run('mount', [...options, 'tmpfs', folder]).then(
    () => true,
    () => false,
  )
  after(async () => {
    for (const pid of [await postmasterOf(folder), await labOf(folder)])
      if (pid !== null) sendSignal(pid, 'SIGKILL')
    if (isMounted) await run('umount', ['--lazy', folder])
    await rm(folder, { recursive: true })
  })
  if (!isMounted) return undefined
  await copyFolder(preparedCluster(), join(folder, 'postgres'))
  return folder
}

const folder = await smallDisk()
const skip = folder === undefined && 'this account may not mount a disk'

// The tests share a gateway and build on each other, in this order.
describe('a gateway whose database', { skip }, async () => {
  if (folder === undefined) return
  const gateway = await startGateway({ DATA_DIR: folder, LAB_PORT: '0' })
  const caller = { url: gateway.url, secret: 'sk_sandbox_demo_enterprise' }
  const db = databaseOf(folder)
  const filler = join(folder, 'filler')
  /** Writes 1 MB to the log of changes, whose files have 16 MB. */
  const growLog = () => db`select pg_logical_emit_message(false, 'test', repeat('x', 1000000))`

  it('has no room answers 503, says that it is not ready, and lives', async () => {
    const load = startPayments(caller)
    await load.reaches(20)
    // Its log has room for what is still written: files that a checkpoint makes ready for later.
    for (let written = 0; written < 64; written += 1) await growLog()
    await db`checkpoint`
    const [later] = await db<{ files: number }>`
      select count(*)::integer as files from pg_ls_waldir()
      where name > pg_walfile_name(pg_current_wal_lsn())`
    assert.ok(later !== undefined && later.files > 2, String(later?.files))
    await fill(filler)
    await eventually('payments are refused', () => load.refusals.length > 0)
    const ready = await fetch(`${gateway.url}/readyz`)
    assert.deepEqual(
      [ready.status, ready.headers.get('retry-after'), await ready.json()],
      [503, '1', { status: 'not ready', because: 'the database cannot write' }],
    )
    // Now and then one still fits into a page that has room.
    const refused = await eventually('another is refused', async () => {
      const answer = await call(caller, 'POST /api/v1/transaction/init', initBody())
      return answer.status !== 201 && answer
    })
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
    assert.equal((await gateway.get('/livez')).status, 200)
    await rm(filler)
    await becomesReady(gateway)
    await load.reaches(20)
    await assertHonest(db, await load.end())
  })

  it('crashes because its log cannot grow goes on once there is room', async () => {
    await fill(filler)
    // Its log cannot have another file.
    await eventually('it dies', () =>
      growLog()
        .then(() => false)
        .catch(isLost),
    )
    await eventually('it says so', () => gateway.printed().includes('PostgreSQL has ended'))
    assert.equal((await gateway.get('/readyz')).status, 503)
    await rm(filler)
    await becomesReady(gateway)
    assert.equal((await call(caller, 'POST /api/v1/transaction/init', initBody())).status, 201)
  })

  it('is frozen answers 503 within seconds, and goes on when it is not', async () => {
    const load = startPayments(caller)
    await load.reaches(20)
    const server = await postmasterOf(folder)
    assert.ok(server !== null)
    // First the one that makes the others: none is new when they are listed.
    process.kill(server, 'SIGSTOP')
    const children = await childrenOf(server)
    for (const pid of children) sendSignal(pid, 'SIGSTOP')
    const { status, body } = await gateway.get('/readyz')
    assert.deepEqual([status, body.status], [503, 'not ready'])
    // It says so after its own time; the second once it has noticed that the server is silent.
    assert.match(String(body.because), /^the database (does not answer|cannot be reached)$/)
    // Each caller was answered, and those that came later too.
    await eventually('refusals', () => load.refusals.length > 20)
    for (const pid of [server, ...children]) sendSignal(pid, 'SIGCONT')
    await becomesReady(gateway)
    await load.reaches(20)
    const ended = await load.end()
    await assertHonest(db, ended)
    for (const { tookMs } of ended.refusals) assert.ok(tookMs < 25_000, String(tookMs))
  })

  it('has lost nothing', async () => {
    await allEnd(db)
    await assertMoney({ db, lab: { url: await knownLabUrl(readConfig({ DATA_DIR: folder })) } })
    await db.close()
    assert.equal((await gateway.stop()).code, 0)
  })
})

function isLost(problem: Error): boolean {
  return /terminated|ECONN|ENOENT|EPIPE/.test(String(problem))
}

/** Writes a file until there is no room left. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w')
  const block = Buffer.alloc(64 * 1024)
  try {
    for (;;) await file.write(block)
  } catch (problem) {
    assert.equal((problem as NodeJS.ErrnoException).code, 'ENOSPC')
  } finally {
    await file.close()
  }
}

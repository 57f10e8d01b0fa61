import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  chown,
  cp,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { testClock } from '../../test/clock.ts'
import { copyFolder } from '../../test/copy-folder.ts'
import {
  assertRefused,
  commandLine,
  launcher,
  preparedCluster,
  runProgram,
  runShell,
  startProgram,
} from '../../test/program.ts'
import { slowTest } from '../../test/size.ts'
import { eventually } from '../../test/wait.ts'
import { readConfig } from '../config/config.ts'
import { withClient } from '../db/client.ts'
import type { Db } from '../db/db.ts'
import { openDb } from '../db/db.ts'
import { migrateUp, readMigrations } from '../db/migrate.ts'
import { applicationRole, migrationsFolder } from '../db/server.ts'
import { openLog } from '../log/log.ts'
import { openDataFolder } from '../postgres/data-folder.ts'
import type { EmbeddedPostgres } from '../postgres/embedded.ts'
import { startEmbeddedPostgres } from '../postgres/embedded.ts'
import { chooseRunner, runProgram as runPostgres } from '../postgres/runner.ts'
import { listBases, listLog, logFile, openArchive, openArchiveFor } from './archive.ts'
import { runArchiver } from './archiver.ts'
import { makeBase } from './base-backup.ts'
import { checkFiles } from './check.ts'
import { endArchiving } from './end.ts'
import { backupKeyOf } from './key.ts'
import { restore } from './restore.ts'
import { removeExpired } from './retention.ts'
import { readBackupState } from './state-store.ts'

const key = backupKeyOf(readConfig({}))
const log = openLog('silent')
const hourMs = 3_600_000
let root = ''
let archive = ''
let server: EmbeddedPostgres
let db: Db

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'backup-'))
  archive = join(root, 'archive')
  const dataDir = join(root, 'data')
  await mkdir(dataDir)
  await copyFolder(preparedCluster(), join(dataDir, 'postgres'))
  server = await startEmbeddedPostgres({ dataDir, durable: false })
  db = openDb({ url: server.url, role: applicationRole, connectionsMax: 2, name: 'test' })
})

after(async () => {
  await db.close()
  await server.stop()
  await rm(root, { recursive: true, force: true, maxRetries: 5 })
})

/** Runs statements that the application may not run. */
async function asOwner(...statements: string[]): Promise<void> {
  await withClient({ url: server.url }, async (client) => {
    for (const statement of statements) await client.query(statement)
  })
}

/** Begins another file of the log, after a change. */
function switchFile(): Promise<void> {
  return asOwner(
    'create table if not exists backup_marks (at timestamptz)',
    'insert into backup_marks values (clock_timestamp())',
    'select pg_switch_wal()',
  )
}

function startArchiver(folder: string, clock = testClock(new Date().toISOString())) {
  const stopping = new AbortController()
  const ended = runArchiver({
    url: server.url,
    folder,
    key,
    everyHours: 24,
    keepDays: 3,
    programs: null,
    workFolder: join(root, 'work'),
    db,
    clock,
    log,
    signal: stopping.signal,
  })
  const stop = async () => {
    stopping.abort()
    await ended
  }
  after(stop)
  return { clock, stop }
}

const basesOf = async (folder: string) => (await listBases({ folder, key })).bases
const wholeFiles = async (folder: string) =>
  (await listLog(await openArchive(folder, key)))[0]?.whole ?? []

describe('an archive that a worker keeps', () => {
  it('has a base backup and the log of changes, and is checked', async () => {
    const { clock, stop } = startArchiver(archive)
    const state = () => readBackupState(db)
    await eventually('a base backup', async () => (await state())?.baseAt)
    for (const count of [1, 2, 3]) {
      await switchFile()
      await eventually('a file', async () => (await wholeFiles(archive)).length >= count)
    }
    assert.equal((await state())?.checkedAt, null)

    clock.advance(2 * hourMs)
    await eventually('a check', async () => (await state())?.checkedAt)
    assert.deepEqual((await state())?.checkProblems, [])
    await stop()
    assert.equal((await basesOf(archive)).length, 1)
    assert.deepEqual((await checkFiles({ folder: archive, key })).problems, [])
    assert.deepEqual(await readdir(join(root, 'work')), [])
  })

  slowTest('has each of its files proved: a changed, missing or foreign one is found', async () => {
    const [base] = await basesOf(archive)
    const [first = 0n, second = 0n] = (await wholeFiles(archive)).slice(-3)
    const opened = await openArchive(archive, key)
    const [one, two] = [first, second].map((index) => logFile(opened, 1, index).path)
    const place = join(archive, 'base', base?.name ?? '')
    const [tar, manifest] = [join(place, 'base.tar.sealed'), join(place, 'manifest.sealed')]
    // what, damage, what is said
    const rows: [string, () => Promise<unknown>, RegExp][] = [
      [
        'a bit of a base backup',
        () => flip(tar, 1_000_000),
        /base\.tar\.sealed is damaged in chunk/,
      ],
      ['its first bytes', () => flip(tar, 2), /is not a file of a backup/],
      ['the end of a base backup', () => cut(tar), /base\.tar\.sealed is cut off/],
      ['its list of files', () => flip(manifest, 100), /manifest\.sealed cannot be opened/],
      ['a bit of the log', () => flip(one ?? '', 40), /\.sealed cannot be opened/],
      ['the end of the log', () => cut(one ?? ''), /\.sealed is cut off/],
      ['another file in its place', () => cp(two ?? '', one ?? ''), /\.sealed cannot be opened/],
      ['a missing file', () => rm(two ?? ''), /of the log is missing after the base backup/],
      ['what a base backup is', () => lie(join(place, 'backup.json')), /was changed, or made with/],
    ]
    for (const [what, damage, sentence] of rows) {
      const safe = join(root, 'safe')
      await cp(archive, safe, { recursive: true })
      await damage()
      const found = await checkFiles({ folder: archive, key }).then(
        ({ problems }) => problems,
        (problem: Error) => [problem.message],
      )
      assert.equal(found.length, 1, `${what}: ${found.join()}`)
      assert.match(found[0] ?? '', sentence, what)
      if (what === 'a bit of a base backup') await assert.rejects(restoreNowhere(), sentence)
      await rm(archive, { recursive: true })
      await rename(safe, archive)
    }
    assert.deepEqual((await checkFiles({ folder: archive, key })).problems, [])
  })

  it('opens with its key alone, and takes no other server', async () => {
    await assert.rejects(openArchive(archive, randomBytes(32)), /give the BACKUP_KEY or SECRET_KEY/)
    const other = { systemId: '7', segmentBytes: 16_777_216 }
    await assert.rejects(openArchiveFor(archive, key, other), /archive of another PostgreSQL/)
    await assert.rejects(openArchive(join(root, 'none'), key), /There is no backup in/)
    // Its first file can be made again from the others.
    await rm(join(archive, 'archive.json'))
    assert.equal((await openArchive(archive, key)).segmentBytes, 16_777_216)
  })

  slowTest(
    'makes a new base backup when a part of the log was lost, and tells of the gap',
    async () => {
      assert.equal(await endArchiving(server.url), true)
      for (let file = 0; file < 3; file += 1) await switchFile()
      await asOwner('checkpoint')
      const { stop } = startArchiver(archive)
      await eventually('another base backup', async () => (await basesOf(archive)).length === 2)
      const last = (await wholeFiles(archive)).at(-1) ?? 0n
      await switchFile()
      await eventually('it goes on', async () => ((await wholeFiles(archive)).at(-1) ?? 0n) > last)
      await stop()
      const { problems } = await checkFiles({ folder: archive, key })
      assert.equal(problems.length, 1)
      assert.match(problems[0] ?? '', /of the log is missing after the base backup/)

      const [first, second] = await basesOf(archive)
      const between = new Date(new Date(second?.startedAt ?? 0).getTime() - 1)
      await assert.rejects(restoreNowhere(between), /the last moment that can be restored is about/)
      // What the first one needs is gone with it.
      const opened = await openArchive(archive, key)
      const future = new Date(new Date(second?.endedAt ?? 0).getTime() + hourMs)
      assert.equal((await removeExpired(opened, future)).bases, 1)
      assert.deepEqual(await basesOf(archive), [second])
      assert.deepEqual((await checkFiles({ folder: archive, key })).problems, [])
      const early = new Date(first?.endedAt ?? 0)
      await assert.rejects(restoreNowhere(early), /The first moment that can be restored is/)
    },
  )
})

describe('passerelle backup, on a server of DATABASE_URL', () => {
  const environment = () => ({ DATABASE_URL: server.url, DATA_DIR: join(root, 'own') })

  slowTest('that is killed leaves nothing that counts, and the next one is whole', async () => {
    const folder = join(root, 'killed')
    const program = startProgram(['backup', folder], environment())
    const names = () => readdir(join(folder, 'base')).catch(() => [])
    await eventually('it has begun', async () => (await names()).length > 0)
    program.kill('SIGKILL')
    await program.ended
    assert.match((await names()).join(), /^\d{8}T\d{6}Z\.draft$/)
    await assert.rejects(restoreNowhere(undefined, folder), /no base backup/)

    const { code, stdout, stderr } = await runProgram(['backup', folder], environment())
    assert.equal(code, 0, stderr)
    assert.match(stdout, /can be restored/)
    assert.match((await names()).join(), /^\d{8}T\d{6}Z$/)

    const into = join(root, 'restored')
    const passerelle = commandLine(environment())
    const refused = await passerelle.run(`restore ${folder}`)
    assertRefused(refused, /DATABASE_URL is another server: give --into/)
    const restored = await runProgram(
      ['restore', folder, '--into', into, '--verify'],
      environment(),
    )
    assert.equal(restored.code, 0, restored.stderr)
    assert.match(restored.stdout, /the ledger is empty/)
    const again = await passerelle.run(`restore ${folder} --into ${into}`)
    assertRefused(again, /restored\/postgres exists and is not overwritten/)
  })

  slowTest('says what is wrong with its folder, and leaves nothing', async () => {
    const file = join(root, 'file')
    await writeFile(file, '')
    await assert.rejects(
      makeBase({ url: server.url, folder: join(file, 'below'), key }),
      /below cannot be written \(ENOTDIR\)/,
    )
    // The disk takes no more in the middle: a limit of a megabyte for each file.
    const folder = join(root, 'full')
    const command = `ulimit -f 1024; exec '${process.execPath}' '${launcher}' backup '${folder}'`
    const { code, stderr } = await runShell(command, environment())
    assert.equal(code, 1)
    assert.match(stderr, /full cannot be written \(EFBIG\)/)
    assert.deepEqual(await basesOf(folder), [])
  })
})

slowTest('an installed PostgreSQL, whose login must be allowed to replicate', async (t) => {
  const [version] = await readdir('/usr/lib/postgresql').catch(() => [])
  if (version === undefined) return t.skip('no PostgreSQL is installed')
  const programs = join('/usr/lib/postgresql', version, 'bin')
  const { url, stop } = await startInstalled(join(root, 'installed'), programs)
  try {
    const query = (statement: string) =>
      withClient({ url: url('boss', 'postgres') }, (client) => client.query(statement))
    await query('create role gate login createrole')
    await query('create database passerelle owner gate')
    const DATABASE_URL = url('gate', 'passerelle')
    const environment = { DATABASE_URL, DATA_DIR: join(root, 'own') }
    const folder = join(root, 'of-installed')
    assertRefused(await runProgram(['backup', folder], environment), /alter role LOGIN replication/)
    await query('alter role gate replication')
    await migrateUp(DATABASE_URL, await readMigrations(migrationsFolder))
    assert.equal((await runProgram(['backup', folder], environment)).code, 0)
    const into = join(root, 'installed-again')
    const command = ['restore', folder, '--into', into, '--verify']
    const { code, stdout } = await runProgram(command, environment)
    assert.equal(code, 0, stdout)
    assert.match(stdout, /the ledger is empty/)
  } finally {
    await stop()
  }
})

/** Starts a PostgreSQL that the system has installed, as the server of DATABASE_URL. */
async function startInstalled(folder: string, programs: string) {
  const data = await openDataFolder(folder)
  const runner = await chooseRunner(data, programs)
  const socket = join(data.root, 'socket')
  await mkdir(socket)
  const { account } = runner
  if (account) for (const path of [data.root, socket]) await chown(path, account.uid, account.gid)
  const run = (program: string, ...args: string[]) =>
    runPostgres(runner, [join(programs, program), '-D', data.cluster, ...args])
  await run('initdb', '-U', 'boss', '-A', 'trust', '-N')
  const options = `-c listen_addresses='' -c unix_socket_directories=${socket} -c fsync=off`
  await run('pg_ctl', '-w', '-l', join(socket, 'log'), '-o', options, 'start')
  const url = (login: string, database: string) =>
    `postgresql://${login}@/${database}?host=${encodeURIComponent(socket)}&port=5432`
  return { url, stop: () => run('pg_ctl', '-m', 'immediate', 'stop') }
}

/** Restores into a folder that is removed again. */
async function restoreNowhere(to?: Date, folder = archive): Promise<void> {
  const order = { folder, key, into: join(root, 'nowhere'), keep: false, programs: null }
  await restore({ ...order, to, clock: testClock() })
}

async function flip(path: string, offset: number): Promise<void> {
  const file = await open(path, 'r+')
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, offset)
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, offset)
  await file.close()
}

async function cut(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.truncate((await file.stat()).size - 1)
  await file.close()
}

async function lie(path: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace('"timeline": 1', '"timeline": 2'))
}

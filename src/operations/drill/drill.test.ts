import assert from 'node:assert/strict'
import { mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe } from 'node:test'
import { systemClock as clock, after as later } from '#base/kit/clock.ts'
import { type Db, openDb } from '#data/db/db.ts'
import { applicationRole } from '#data/db/server.ts'
import { makeAnchor } from '#money/ledger/anchor.ts'
import { post } from '#money/ledger/post.ts'
import { archivedServer } from '#test/archived-server.ts'
import { newClient } from '#test/clients.ts'
import { assertSound, bookkeeper } from '#test/ledger.ts'
import { commandLine, dataFolder } from '#test/program.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { readArchiveState } from './store.ts'

const server = await archivedServer()
const folder = await dataFolder()
const environment = {
  DATABASE_URL: server.url,
  DATA_DIR: folder,
  RESTORE_COMMAND: server.command,
}
const passerelle = commandLine(environment, 'shared')
let db: Db
let merchant = 0
let files: string[] = []
let moment = new Date()

/** Drills, and expects these words of what is wrong. */
async function findsWrong(args: string, words: RegExp, more = {}): Promise<void> {
  const { code, stdout, stderr } = await passerelle.run(`drill ${args}`, more)
  assert.match(stdout, words, stderr)
  assert.equal(code, 1)
  assert.deepEqual(await left(), [], 'nothing is left')
}

const left = async () => (await readdir(folder)).filter((name) => name.startsWith('drill-'))

async function pays(ref: string): Promise<void> {
  const now = clock.now()
  await db.transaction((tx) => post(tx, [bookkeeper(merchant, now).write(`hold ${ref} 5`)], now))
}

before(async () => {
  db = openDb({ url: server.url, role: applicationRole, connectionsMax: 2, name: 'test' })
  merchant = await newClient(db, clock, 1000)
  // As old as one must be to be in everything that is restored.
  await makeAnchor({ db, clock: { now: () => later(clock.now(), -120_000) } })
  await server.backUp()
  for (const ref of ['a', 'b', 'c']) {
    await pays(ref)
    // Between two whole files of the log, and after the last one of before.
    if (ref === 'b') moment = later(clock.now(), 1)
    await eventually('the moment is over', () => clock.now() > later(moment, 5))
    files = await server.handOver()
  }
})

describe('passerelle drill', () => {
  after(async () => {
    await assertSound(db)
    await db.close()
  })

  it('restores the newest state, proves it, tells its end and leaves nothing', async () => {
    const text = await passerelle.run('drill')
    assert.equal(text.code, 0, text.stdout + text.stderr)
    assert.match(text.stdout, /^Restored from the backup of 2\S+Z; the last change is of 2\S+Z\.$/m)
    assert.match(text.stdout, /^There is no transaction in it\.$/m)
    assert.match(text.stdout, /^Compared with the live database: 2 heads of chains, anchor 1,/m)
    assert.match(text.stdout, /the ledger holds \(\d+ ms\)$/m)
    assert.deepEqual(await left(), [])
    const { drill, isOn, lastFile } = await readArchiveState(db)
    assert.deepEqual([isOn, lastFile], [true, files.at(-1)])
    assert.deepEqual([drill?.problems, drill?.moment], [[], null])
    assert.ok(drill?.backupAt && drill.backupAt < moment)
  })

  it('leaves what was kept to a person, and removes what a killed drill left', async () => {
    const { code, stdout } = await passerelle.run('drill --keep --json')
    const { cluster } = JSON.parse(stdout)
    assert.equal(code, 0, stdout)
    const dead = join(folder, 'drill-20261117103000000')
    await mkdir(dead)
    const yesterday = later(clock.now(), -86_400_000)
    for (const one of [dead, dirname(cluster)]) await utimes(one, yesterday, yesterday)
    const { stdout: text } = await passerelle.run('drill')
    assert.match(text, /^Compared with no anchor of outside: DATA_DIR\/anchors\.ndjson has none/m)
    assert.deepEqual(await left(), [])
    await stat(join(cluster, 'PG_VERSION'))
    await rm(dirname(cluster), { recursive: true })
  })

  it('restores a moment, and keeps it where it is asked to', async () => {
    const into = join(folder, 'kept')
    const { code, stdout } = await passerelle.run(
      `drill --to ${moment.toISOString()} --into ${into} --keep --json`,
    )
    const told = JSON.parse(stdout)
    assert.deepEqual([code, told.problems, told.cluster], [0, [], join(into, 'postgres')])
    assert.ok(new Date(told.replay.lastCommitAt) <= moment)
    // The funds and two of the three holds, each of which has two entries.
    assert.deepEqual([told.verdict.postings, told.verdict.breaks], [3, []])
    await stat(join(into, 'postgres/PG_VERSION'))
    await findsWrong(`--into ${into}`, /^PROBLEM \S+ is not empty: a drill needs a folder/m)
    await rm(into, { recursive: true })
  })

  it('tells of a missing file of the log, at which PostgreSQL ends without an error', async () => {
    const name = files.at(-2) ?? ''
    await rename(join(server.log, name), join(server.root, name))
    try {
      await findsWrong(
        '',
        new RegExp(`^PROBLEM The WAL file ${name} is missing in the archive, though the`, 'm'),
      )
      const { drill } = await readArchiveState(db)
      assert.equal(drill?.problems.length, 1)
      const after = later(clock.now(), -1).toISOString()
      await findsWrong(
        `--to ${after}`,
        new RegExp(
          `^PROBLEM The WAL in the archive ends at 2\\S+, before ${after}\\. The WAL file ${name}`,
          'm',
        ),
      )
    } finally {
      await rename(join(server.root, name), join(server.log, name))
    }
  })

  it('tells of a changed byte in the log', async () => {
    const name = files.at(-2) ?? ''
    const path = join(server.log, name)
    await changeByte(path)
    try {
      await findsWrong(
        '',
        /^PROBLEM The WAL in the archive cannot be read after \w+, though the server .*: \S+/m,
      )
    } finally {
      await changeByte(path)
    }
  })

  slowTest('tells of a history that is not that of the live database', async () => {
    const statement = (hash: string) =>
      server.sql(`
        alter table ledger_entries disable trigger all;
        update ledger_entries set hash = ${hash}
        where client_id = ${merchant} and account = 'held' and version = 3;
        alter table ledger_entries enable trigger all`)
    const { rows } = await server.sql(
      `select encode(hash, 'hex') as hash from ledger_entries
       where client_id = ${merchant} and account = 'held' and version = 3`,
    )
    await statement("sha256('another')")
    try {
      await findsWrong(
        '',
        /^PROBLEM Version 3 of the account held of client \d+ is another there\.$/m,
      )
    } finally {
      await statement(`decode('${rows[0]?.hash}', 'hex')`)
    }
  })

  it('tells that a repository is full, by the file that the server cannot hand over', async () => {
    const full = join(server.root, 'full')
    await mkdir(full)
    try {
      await server.sql("select pg_logical_emit_message(true, 'test', 'something')")
      await server.sql('select pg_switch_wal()')
      await eventually('a refusal', async () => (await readArchiveState(db)).failedFile)
      await findsWrong('', /^PROBLEM The server cannot archive its WAL: the file \w+ was refused/m)
      const { stdout } = await passerelle.run('doctor', { PORT: '0' })
      assert.match(stdout, /^PROBLEM {2}the server cannot archive the WAL file \w+/m)
    } finally {
      await rm(full, { recursive: true })
    }
  })

  slowTest('tells of what cannot run, and of an archive without a backup', async () => {
    await findsWrong('', /^PROBLEM RESTORE_COMMAND cannot be run: nowhere/m, {
      RESTORE_COMMAND: 'nowhere {folder}',
    })
    await findsWrong('', /^PROBLEM RESTORE_COMMAND left no PostgreSQL in/m, {
      RESTORE_COMMAND: 'true {folder}',
    })
    const script = join(folder, 'fails')
    await writeFile(script, "echo 'ERROR: [075]: no backup set found to restore'; exit 75")
    await findsWrong('', /^PROBLEM RESTORE_COMMAND ended with 75: \[075\]: no backup set found/m, {
      RESTORE_COMMAND: `/bin/sh ${script} {folder}`,
    })
    await findsWrong(
      `--to ${moment.toISOString()}`,
      /^PROBLEM RESTORE_COMMAND has no \{moment\}/m,
      {
        RESTORE_COMMAND: 'true {folder}',
      },
    )
  })

  slowTest('proves what is in the archive also while the live database is away', async () => {
    const DATABASE_URL = 'postgresql://passerelle@127.0.0.1:1/passerelle'
    const { code, stdout } = await passerelle.run('drill', { DATABASE_URL })
    assert.match(stdout, /^Not compared with the live database: The database of DATABASE_URL/m)
    assert.match(stdout, /the ledger holds/)
    assert.equal(code, 0)
  })
})

/** Changes a byte in the middle of what a file of the log holds; changes it back the next time. */
async function changeByte(path: string): Promise<void> {
  const file = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, 200)
  await file.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, 200)
  await file.close()
}

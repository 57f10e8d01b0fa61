import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, openSync } from 'node:fs'
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  open,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openDb } from '#data/db/db.ts'
import { freePort } from '#test/listen.ts'
import { call, initBody } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { missing } from '#test/needs.ts'
import { allEnd } from '#test/outages.ts'
import { dataFolder, runProgram, startGateway } from '#test/program.ts'
import { eventually } from '#test/wait.ts'
import { readArchiver } from './store.ts'

const setUp = new URL('../../../deploy/pgbackrest/set-up', import.meta.url).pathname
const run = promisify(execFile)
const skip = missing('pgbackrest')

/** A PostgreSQL of Debian's, made and run by its own account as on a machine of its own. */
async function debianServer() {
  const programs = globSync('/usr/lib/postgresql/*/bin').sort().at(-1) ?? ''
  const root = await mkdtemp(join(tmpdir(), 'passerelle-pgbackrest-'))
  const [data, repository] = [join(root, 'data'), join(root, 'repository')]
  const number = (option: string) =>
    Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  const account = { uid: number('-u'), gid: number('-g'), cwd: '/' }
  await chmod(root, 0o755)
  for (const one of [
    data,
    repository,
    join(root, 'spool'),
    join(root, 'log'),
    join(root, 'lock'),
  ]) {
    await mkdir(one, { mode: 0o750 })
    await run('chown', ['postgres:', one])
  }
  // Small, so that it can be filled.
  await run('mount', ['-t', 'tmpfs', '-o', 'size=400m,uid=0,mode=750', 'tmpfs', repository])
  await run('chown', ['postgres:', repository])
  await run(
    join(programs, 'initdb'),
    ['-D', data, '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    account,
  )
  const port = await freePort()
  await appendFile(
    join(data, 'postgresql.conf'),
    [
      `port = ${port}`,
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${root}/lock'`,
      'fsync = off\n',
    ].join('\n'),
  )
  let child: ReturnType<typeof spawn> | undefined
  const sql = (text: string) =>
    run('psql', ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-Atc', text])
  const stop = async () => {
    if (child === undefined || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    await ended
  }
  const start = async () => {
    const log = openSync(join(root, 'server.log'), 'a')
    child = spawn(join(programs, 'postgres'), ['-D', data], {
      ...account,
      stdio: ['ignore', log, log],
    })
    await eventually('PostgreSQL answers', () =>
      sql('select 1').then(
        () => true,
        () => false,
      ),
    )
  }
  after(async () => {
    await stop()
    await run('umount', ['--lazy', repository])
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  })
  await start()
  await sql('create role passerelle_app nologin')
  await sql('create role passerelle login')
  await sql('grant passerelle_app to passerelle')
  await sql('create database passerelle owner passerelle')
  return {
    programs,
    account,
    root,
    repository,
    port,
    sql,
    start,
    stop,
    url: `postgresql://passerelle@127.0.0.1:${port}/passerelle?sslmode=disable`,
  }
}

describe('an archive of pgBackRest', { skip }, async () => {
  if (skip) return
  const server = await debianServer()
  const etc = join(server.root, 'etc')
  const config = join(etc, 'pgbackrest.conf')
  const places = `--config=${config} --config-include-path=${etc}/conf.d`
  const folder = await dataFolder()
  const environment = {
    DATABASE_URL: server.url,
    DATA_DIR: folder,
    RESTORE_COMMAND:
      `pgbackrest ${places} --stanza=passerelle --pg1-path={folder} ` +
      '[--type=time --target={moment}] restore',
  }
  const db = openDb({ url: server.url, name: 'test', connectionsMax: 2 })
  const paid: { id: string; sentMs: number }[] = []
  let momentMs = 0

  const setsUp = (folder = etc) =>
    run(setUp, [], {
      env: {
        PATH: process.env.PATH,
        CONFIG_FOLDER: folder,
        PGHOST: `${server.root}/lock`,
        PGPORT: String(server.port),
        UNIT_FOLDER: server.root,
      },
    }).then(
      ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
      (problem) => ({ code: Number(problem.code), said: `${problem.stdout}${problem.stderr}` }),
    )
  const drill = async (...words: string[]) => {
    const { code, stdout, stderr } = await runProgram(['drill', ...words, '--json'], environment)
    assert.equal(stderr, '')
    return { code, ...JSON.parse(stdout) }
  }
  /** The names of the files of the log that are there, the oldest first. */
  const logFiles = () => globSync(`${server.repository}/archive/passerelle/*/*/*.zst`).sort()
  const handOver = async () => {
    await server.sql("select pg_logical_emit_message(true, 'test', 'something')")
    const { stdout } = await server.sql('select pg_walfile_name(pg_switch_wal())')
    await eventually('the log is handed over', async () => {
      const { lastFile } = await readArchiver(db)
      return lastFile !== null && lastFile >= stdout.trim()
    })
  }

  before(async () => {
    await mkdir(join(etc, 'conf.d'), { recursive: true })
    const template = await readFile(new URL('pgbackrest.conf', `file://${setUp}`), 'utf8')
    const own = template
      .replace('/var/lib/pgbackrest', server.repository)
      .replace('/var/spool/pgbackrest', `${server.root}/spool`)
      .replace('[global]', `[global]\nlock-path=${server.root}/lock\nlog-path=${server.root}/log`)
    await writeFile(config, own)
    await run('chown', ['-R', ':postgres', etc])
    await chmod(etc, 0o750)
  })
  after(() => db.close())

  it('is set up by one script, which says what is wrong first', async () => {
    const right = await readFile(config, 'utf8')
    await writeFile(
      config,
      right.replace(server.repository, '/nowhere').replace('aes-256-cbc', 'none'),
    )
    const bad = await setsUp()
    assert.equal(bad.code, 1, bad.said)
    assert.match(bad.said, /^WRONG {2}repo1-cipher-type is not aes-256-cbc/m)
    assert.match(bad.said, /^WRONG {2}the repository \/nowhere is not there/m)
    await writeFile(config, right)
    const off = await setsUp()
    assert.equal(off.code, 1, off.said)
    assert.match(off.said, /^NOTE {3}made the key/m)
    assert.match(off.said, /^WRONG {2}PostgreSQL must be restarted once, for archive_mode/m)
    await server.stop()
    await server.start()
    const good = await setsUp()
    assert.equal(good.code, 0, good.said)
    assert.match(
      good.said,
      /^RESTORE_COMMAND=pgbackrest .* \[--type=time --target=\{moment\}\] restore$/m,
    )
    assert.equal((await setsUp()).code, 0, 'and again')
  })

  it('restores a moment right to the payment, and the newest state', async () => {
    const gateway = await startGateway({ ...environment, LAB_PORT: '0', DEMO_HISTORY: '0' })
    const caller = { url: gateway.url, secret: 'sk_sandbox_demo_enterprise' }
    for (let count = 0; count < 60; count += 1) {
      if (count === 30) {
        // Commits are dated in microseconds, and a moment in milliseconds.
        await sleep(5)
        momentMs = Date.now()
        await sleep(5)
      }
      const sentMs = Date.now()
      const { status, body } = await call(
        caller,
        'POST /api/v1/transaction/init',
        initBody({ amount: 500 }),
      )
      assert.equal(status, 201)
      paid.push({ id: body.transaction.transactionId, sentMs })
      if (count % 20 === 10) await handOver()
    }
    await allEnd(db)
    await gateway.stop()
    await handOver()
    await assertMoney({ db })

    const then = await drill('--to', new Date(momentMs).toISOString())
    assert.deepEqual([then.code, then.problems], [0, []])
    const before = paid.filter(({ sentMs }) => sentMs < momentMs)
    assert.equal(then.transactions, before.length)
    assert.equal(then.lastTransaction.id, before.at(-1)?.id)
    const now = await drill()
    assert.deepEqual([now.code, now.problems], [0, []])
    assert.equal(now.transactions, paid.length)
    assert.equal(now.lastTransaction.id, paid.at(-1)?.id)
    assert.deepEqual(globSync(`${folder}/drill-*`), [])
  })

  it('leaves a moment to look into, as the documentation says', async () => {
    const page = await readFile('docs/recovery.md', 'utf8')
    const [, block = ''] = /```sh\n(kept=[^]*?)```/.exec(page) ?? []
    const { cluster } = await drill('--keep')
    const own = block
      .replace(/kept=\S+ at=\S+/, `kept=${dirname(cluster)} at=${server.root}/then`)
      .replaceAll(/\/usr\/lib\/postgresql\/\d+\/bin/g, server.programs)
    const { stdout } = await run('sh', ['-e', '-c', own])
    assert.match(stdout, /^ +\d+$/m)
    assert.deepEqual(globSync(`${folder}/kept-*`), [])
  })

  it('a missing file of the log, a changed byte in one, and in the backup are told', async (t) => {
    const path = logFiles().at(-2) ?? ''
    const name = /([0-9A-F]{24})-\w+\.zst$/.exec(path)?.[1]
    const aside = join(server.root, 'aside')
    await run('mv', [path, aside])
    const gap = await drill()
    assert.equal(gap.code, 1)
    assert.match(gap.problems[0], new RegExp(`^The WAL file ${name} is missing in the archive`))
    await run('mv', [aside, path])

    const undo = await changeByte(path)
    const damaged = await drill()
    await undo()
    assert.equal(damaged.code, 1)
    assert.match(damaged.problems[0], /^The WAL in the archive cannot be read after|^The WAL file/)

    const [bundle = ''] = globSync(`${server.repository}/backup/passerelle/*F/bundle/1`)
    const undoBundle = await changeByte(bundle)
    const changed = await drill()
    await undoBundle()
    assert.equal(changed.code, 1)
    assert.match(
      changed.problems[0],
      /^RESTORE_COMMAND ended with \d+: a file of the backup was changed/,
    )
    for (const { problems } of [gap, damaged, changed]) t.diagnostic(problems[0])
    assert.equal((await drill()).code, 0, 'and whole again')
  })

  it('a wrong key is told', async (t) => {
    const key = join(etc, 'conf.d/key.conf')
    await rename(key, `${key}.right`)
    await writeFile(key, '[global]\nrepo1-cipher-pass=another\n', { mode: 0o644 })
    const { code, problems } = await drill()
    t.diagnostic(problems[0])
    assert.equal(code, 1)
    assert.match(problems[0], /^RESTORE_COMMAND ended with \d+: the key does not open the archive/)
    const again = await setsUp()
    assert.match(again.said, /^WRONG {2}the repository cannot be begun, or the key is another one/m)
    await rename(`${key}.right`, key)
  })

  it('a full repository is told', async (t) => {
    await run('sh', ['-c', `cat /dev/zero > ${server.repository}/filler || true`])
    await server.sql("select pg_logical_emit_message(true, 'test', repeat(md5('a'), 400000))")
    await server.sql('select pg_switch_wal()')
    await eventually('a refusal', async () => (await readArchiver(db)).failedFile)
    const { code, problems } = await drill()
    t.diagnostic(problems[0])
    assert.equal(code, 1)
    assert.match(problems[0], /^The server cannot archive its WAL: the file \w{24} was refused at/)
    const { said } = await setsUp()
    assert.match(said, /^WRONG {2}the repository \S+ is full: 0 bytes are free/m)
    await rm(join(server.repository, 'filler'))
    await eventually('it goes on', async () => (await readArchiver(db)).failedFile === null)
    assert.equal((await drill()).code, 0)
  })

  it('a repository on another host is begun and backed up to there', async () => {
    const { ours, onHost } = await repositoryHost(server)
    const begun = await setsUp(ours)
    assert.match(
      begun.said,
      /^WRONG {2}the repository on localhost takes nothing: see above\. There/m,
    )
    await onHost('stanza-create')
    const good = await setsUp(ours)
    assert.equal(good.code, 0, good.said)
    assert.match(good.said, /^NOTE {3}backups are made on localhost/m)
    assert.doesNotMatch(good.said, /first full backup|timer\b|no systemd/)
    await onHost('backup', '--type=full')
    // Nothing takes the log any more, and a server that stops waits for what does.
    await server.sql("alter system set archive_command = '/bin/true'")
    await server.sql('select pg_reload_conf()')
  })
})

/** A host of its own for the repository, by TLS: a second configuration, and a server of each. */
async function repositoryHost({ root, port, account }: Awaited<ReturnType<typeof debianServer>>) {
  const [ours, theirs] = [join(root, 'ours'), join(root, 'theirs')]
  for (const one of ['ours/conf.d', 'theirs/conf.d', 'hosted', 'host-lock'])
    await mkdir(join(root, one), { recursive: true })
  const pair = ['-keyout', join(theirs, 'tls.key'), '-out', join(theirs, 'tls.crt')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  await run('openssl', ['req', '-x509', ...kind, ...pair, ...name])
  const [own, others] = [await freePort(), await freePort()]
  const files = (prefix: string) =>
    ['ca-file=tls.crt', 'cert-file=tls.crt', 'key-file=tls.key'].map(
      (one) => `${prefix}-${one.replace('=', `=${theirs}/`)}`,
    )
  const serves = (at: number) => [
    `tls-server-address=127.0.0.1\ntls-server-port=${at}`,
    'tls-server-auth=localhost=passerelle',
    ...files('tls-server'),
  ]
  const common = ['start-fast=y', 'compress-type=zst', 'log-level-file=off', 'archive-timeout=60']
  const write = (path: string, lines: string[]) => writeFile(path, `${lines.join('\n')}\n`)
  await write(join(ours, 'pgbackrest.conf'), [
    `[global]\nlock-path=${root}/lock\nrepo1-host=localhost\nrepo1-host-type=tls`,
    `repo1-host-port=${others}\nrepo1-host-config=${theirs}/pgbackrest.conf`,
    ...files('repo1-host'),
    ...serves(own),
    ...common,
  ])
  await write(join(theirs, 'pgbackrest.conf'), [
    `[global]\nlock-path=${root}/host-lock\nrepo1-path=${root}/hosted`,
    'repo1-cipher-type=aes-256-cbc\nrepo1-cipher-pass=of-that-host\nrepo1-retention-full=2',
    ...serves(others),
    ...common,
    `[passerelle]\npg1-host=localhost\npg1-host-type=tls\npg1-host-port=${own}`,
    `pg1-host-config=${ours}/pgbackrest.conf\npg1-path=${root}/data\npg1-port=${port}`,
    `pg1-socket-path=${root}/lock`,
    ...files('pg1-host'),
  ])
  for (const one of ['ours', 'theirs', 'hosted', 'host-lock'])
    await run('chown', ['-R', 'postgres:postgres', join(root, one)])
  for (const folder of [ours, theirs]) {
    const places = [`--config=${folder}/pgbackrest.conf`, `--config-include-path=${folder}/conf.d`]
    const child = spawn('pgbackrest', [...places, 'server'], { ...account, stdio: 'ignore' })
    after(() => void child.kill('SIGTERM'))
  }
  const onHost = (...words: string[]) => {
    const place = [`--config=${theirs}/pgbackrest.conf`, `--config-include-path=${theirs}/conf.d`]
    return run('pgbackrest', [...place, '--stanza=passerelle', ...words], account)
  }
  return { ours, onHost }
}

/** Changes a byte in the middle of a file; the returned function changes it back. */
async function changeByte(path: string): Promise<() => Promise<void>> {
  const change = async () => {
    const file = await open(path, 'r+')
    const at = Math.floor((await file.stat()).size / 2)
    const byte = Buffer.alloc(1)
    await file.read(byte, 0, 1, at)
    await file.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at)
    await file.close()
  }
  await change()
  return change
}

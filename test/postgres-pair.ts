import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { appendFile, chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import pg from 'pg'
import { openDataFolder } from '../src/postgres/data-folder.ts'
import { chooseRunner } from '../src/postgres/runner.ts'
import { copyFolder } from './copy-folder.ts'
import { freePort } from './listen.ts'
import { dataFolder, preparedCluster } from './program.ts'
import { eventually } from './wait.ts'

/** One of two PostgreSQL servers with our schema. */
interface TestServer {
  /** Its host and port, as they stand in an address. */
  place: string
  start(): Promise<unknown>
  /** Kills it as a loss of power would. */
  kill(): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** Runs a statement as its superuser. */
  sql(statement: string): Promise<pg.QueryResult>
}

/** A primary and a standby that follows it. The programs that npm installs are enough for it. */
export async function testPair() {
  const [one, two] = [await testServer(), await testServer()]
  await one.start()
  await one.sql('select pg_create_physical_replication_slot($$two$$, true)')
  const [host, port] = one.place.split(':')
  const lines = [
    `primary_conninfo = 'host=${host} port=${port} user=passerelle application_name=two'`,
    "primary_slot_name = 'two'",
  ]
  await appendFile(join(two.cluster, 'postgresql.auto.conf'), `${lines.join('\n')}\n`)
  await writeFile(join(two.cluster, 'standby.signal'), '')
  await two.start()
  const urlOf = (...servers: TestServer[]) =>
    `postgresql://passerelle@${servers.map(({ place }) => place).join(',')}/passerelle` +
    '?target_session_attrs=read-write&sslmode=disable'
  return { one, two, urlOf }
}

/** A server on a copy of the prepared files, at a port of its own. */
export async function testServer() {
  const data = await openDataFolder(await dataFolder())
  await copyFolder(preparedCluster(), data.cluster)
  const runner = await chooseRunner(data)
  const { account, options, binaries, prefix } = runner
  if (account) await chown(data.root, account.uid, account.gid)
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    // As the embedded server has it: a standby must not have less than its primary had.
    max_connections: 200,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const [file = '', ...args] = [...prefix, binaries.postgres, '-D', data.cluster, ...flags]
  const log = openSync(data.log, 'a')
  const url = `postgresql://passerelle@127.0.0.1:${port}/passerelle?sslmode=disable`
  const launch = () => spawn(file, args, { ...options, stdio: ['ignore', log, log] })
  let child: ReturnType<typeof launch> | undefined

  const sql = async (statement: string) => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
    client.on('error', () => {})
    try {
      await client.connect()
      return await client.query(statement)
    } finally {
      await client.end().catch(() => {})
    }
  }
  const kill = async () => {
    const ended =
      child && child.exitCode === null && child.signalCode === null && once(child, 'exit')
    child?.kill('SIGCONT')
    child?.kill('SIGKILL')
    await ended
  }
  after(kill)
  return {
    cluster: data.cluster,
    url,
    place: `127.0.0.1:${port}`,
    sql,
    kill,
    signal: (signal: NodeJS.Signals) => void child?.kill(signal),
    start: () =>
      // The sessions of a killed server take a moment to end; until then a new one refuses.
      eventually('PostgreSQL takes connections', async () => {
        if (child === undefined || child.exitCode !== null || child.signalCode !== null)
          child = launch()
        return sql('select 1').then(
          () => true,
          () => false,
        )
      }),
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import { after } from 'node:test'
import pg from 'pg'
import { openDataFolder } from '#data/postgres/data-folder.ts'
import { chooseRunner } from '#data/postgres/runner.ts'
import { copyFolder } from './copy-folder.ts'
import { freePort } from './listen.ts'
import { dataFolder, preparedCluster } from './program.ts'
import { eventually } from './wait.ts'

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
    // As the embedded server has it: what is restored from it must not have less.
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
    sql,
    kill,
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

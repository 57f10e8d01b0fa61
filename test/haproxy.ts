import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from './listen.ts'
import { eventually } from './wait.ts'

const shipped = fileURLToPath(new URL('../deploy/haproxy', import.meta.url))

/** The processes of a gateway, by their hosts and ports; null: it is no cell. */
export interface Served {
  cell: string | null
  servers: string[]
}

export interface ProxySettings {
  port?: number
  /** A file with certificate and key; left out: without TLS. */
  certificate?: string
  /** What comes before the command. */
  prefix?: string[]
  /** The machines of a database with Patroni, and the port at which their primary is reached. */
  database?: { port: number; hosts: string[] }
}

/**
 * Runs the real HAProxy on a port of 127.0.0.1, with the configuration that is shipped. What names
 * no cell goes to the first of those served. Without TLS it waits until all of them are.
 */
export async function runProxy(
  served: Served[],
  { port: given, certificate, prefix = [], database }: ProxySettings = {},
) {
  const port = given ?? (await freePort())
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-proxy-'))
  for (const file of await readdir(shipped)) await copyFile(join(shipped, file), join(folder, file))
  const ways = database === undefined ? [] : [databaseOf(database)]
  await writeFile(join(folder, 'servers.cfg'), [...served.map(backendsOf), ...ways].join('\n'))
  const names = served.map(({ cell }) => cell ?? 'gateway')
  const map = names.map((name) => `${name} ${name}\n`)
  await writeFile(join(folder, 'cells.map'), `default ${names[0] ?? 'gateway'}\n${map.join('')}`)
  const socket = join(folder, 'stats')
  await writeFile(join(folder, 'stats.cfg'), `global\n  stats socket ${socket}\n`)
  const own = ['passerelle.cfg', 'servers.cfg', 'stats.cfg']
  const files = own.flatMap((one) => ['-f', join(folder, one)])
  const address = `127.0.0.1:${port}`
  const env = {
    PATH: process.env.PATH,
    ...(certificate === undefined
      ? { PASSERELLE_PLAIN: '1', PASSERELLE_HTTP: address }
      : {
          PASSERELLE_HTTP: `127.0.0.1:${await freePort()}`,
          PASSERELLE_HTTPS: address,
          PASSERELLE_CERTIFICATES: certificate,
        }),
  }
  // Says what is wrong with a configuration; a warning counts.
  await promisify(execFile)('haproxy', ['-c', '-q', '-dW', ...files], { env })
  const [program = '', ...args] = [...prefix, 'haproxy', '-q', '-db', ...files]
  const running = spawn(program, args, { stdio: 'ignore', env })
  const ended = once(running, 'exit')
  const stop = async () => {
    running.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const url = `${certificate === undefined ? 'http' : 'https'}://${address}`
  if (certificate === undefined) for (const { cell } of served) await untilServed(url, cell)
  /** Waits until requests are led to a server, by its place in the list. */
  const untilUp = (index: number) =>
    eventually(`the proxy leads to ${index + 1}`, async () => {
      const stats = (await askSocket(socket, 'show stat')).split('\n').map((one) => one.split(','))
      const states = stats.filter(([, name]) => name === String(index + 1)).map((one) => one[17])
      return states.length > 0 && states.every((state) => state?.startsWith('UP'))
    })
  const plainUrl = `http://${env.PASSERELLE_HTTP}`
  return { url, plainUrl, pid: running.pid ?? 0, untilUp, stop }
}

async function askSocket(path: string, question: string): Promise<string> {
  const socket = connect(path)
  socket.write(`${question}\n`)
  let answer = ''
  for await (const part of socket.setEncoding('utf8')) answer += part
  return answer
}

/** What servers.cfg and docs/cells.md tell to write. */
function backendsOf({ cell, servers }: Served): string {
  const check = `  option httpchk GET /readyz
  http-check expect string '"status":"ready","cell":"${cell}"'
`
  const lines = servers.map((server, index) => `  server ${index + 1} ${server}\n`).join('')
  return ['interface', 'pages', 'others']
    .map((kind) => `backend ${kind}_${cell ?? 'gateway'} from ${kind}\n`)
    .map((head) => `${head}${cell === null ? '' : check}${lines}`)
    .join('\n')
}

/** The same for the database. */
function databaseOf({ port, hosts }: { port: number; hosts: string[] }): string {
  const servers = hosts.flatMap((host, index) => [
    `  server ${index} ${host}:5432\n`,
    `  server by-${index} ${host}:5433 backup port 8009\n`,
  ])
  return `listen database from database\n  bind 127.0.0.1:${port}\n${servers.join('')}`
}

/** Waits until the proxy finds a gateway. */
export async function untilServed(url: string, cell: string | null): Promise<void> {
  const path = cell === null ? '/readyz' : `/cells/${cell}/readyz`
  await eventually(`${url} is answered by ${cell ?? 'the gateway'}`, async () => {
    const answer = await fetch(`${url}${path}`).catch(() => undefined)
    return answer?.status === 200 && answer.headers.get('x-cell') === cell
  })
}

import { execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { chmod, chown, cp, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeFolders } from '../src/kit/folders.ts'
import type { PostgresServer } from './postgres-server.ts'

/** One of two PostgreSQL servers, driven by the scripts of deploy/availability. */
export interface Member {
  name: string
  port: number
  /** The pids of all of its processes. */
  pids(): number[]
  /** The pid of the process that started the others. */
  postmaster(): number
  /** Runs a script as the server's account; throws with what it printed if it fails. */
  run(script: string, ...args: string[]): Promise<string>
}

/** A primary and its synchronous standby; the roles change. */
export interface Pair {
  primary(): Member
  standby(): Member
  /** After the promotion of the standby: it is the primary now. */
  exchange(): void
  /** The address with both servers, as a gateway is given it. */
  bothUrl: string
  /** The primary, for whoever needs one server: the judge. */
  server: PostgresServer
}

const scripts = fileURLToPath(new URL('../deploy/availability/', import.meta.url))
const installed = '/usr/lib/postgresql'

/** The folder of PostgreSQL's programs that Debian installed; undefined: there are none. */
export function findInstalled(): string | undefined {
  const versions = existsSync(installed) ? readdirSync(installed) : []
  return versions
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(installed, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'pg_rewind')))
}

// As docs/availability.md tells a deployer.
const settings = `
wal_log_hints = on
wal_keep_size = 512MB
max_slot_wal_keep_size = 4GB
max_connections = 200
shared_buffers = 128MB
wal_receiver_status_interval = 1s
log_min_messages = warning
timezone = UTC
`
const roles = [
  'create role passerelle_app nologin',
  'create role passerelle login replication',
  'grant passerelle_app to passerelle',
  'create role replicator login replication',
  ...[
    'pg_ls_dir(text, boolean, boolean)',
    'pg_stat_file(text, boolean)',
    'pg_read_binary_file(text)',
    'pg_read_binary_file(text, bigint, bigint, boolean)',
  ].map((name) => `grant execute on function ${name} to replicator`),
  'create database passerelle owner passerelle',
]

const urlOf = (hosts: string) => `postgresql://passerelle@${hosts}/passerelle`

/** Makes both servers in a folder: the primary by initdb, the standby by the script. */
export async function openPair(folder: string): Promise<Pair> {
  const programs = findInstalled()
  if (programs === undefined) throw new Error('no PostgreSQL is installed')
  const account = process.getuid?.() === 0 ? await accountOf('postgres') : undefined
  const own = join(folder, 'pair')
  await makeFolders(own)
  // Its account may not reach this repository.
  await cp(scripts, join(own, 'scripts'), { recursive: true })
  const [portA, portB] = [await freePort(), await freePort()]
  const parts = { own, programs, account }
  const a = await makeMember(parts, { name: 'a', port: portA }, { name: 'b', port: portB })
  const b = await makeMember(parts, { name: 'b', port: portB }, { name: 'a', port: portA })
  const data = join(own, 'a/data')
  await a.command(join(programs, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust')
  const configuration = join(data, 'postgresql.conf')
  const text = await readFile(configuration, 'utf8')
  await writeFile(configuration, `${text}${settings}cluster_name = 'a'\n`)
  await a.start()
  for (const statement of roles) await a.sql(statement)
  await b.run('make-standby')
  await a.run('synchronous', 'on')

  let [primary, standby]: [Member, Member] = [a, b]
  return {
    primary: () => primary,
    standby: () => standby,
    exchange: () => {
      ;[primary, standby] = [standby, primary]
    },
    bothUrl: `${urlOf(`127.0.0.1:${portA},127.0.0.1:${portB}`)}?target_session_attrs=read-write`,
    server: {
      get url() {
        return urlOf(`127.0.0.1:${primary.port}`)
      },
      cluster: data,
      pid: () => primary.pids()[0] ?? 0,
      start: async () => {},
      signal: (signal) => signalAll(primary, signal),
      end: async () => {
        for (const one of [a, b]) signalAll(one, 'SIGKILL')
      },
    },
  }
}

/** Sends a signal to every process of a server. */
export function signalAll(member: Member, signal: NodeJS.Signals): void {
  for (const pid of member.pids()) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended meanwhile.
    }
  }
}

interface Place {
  name: string
  port: number
}
interface Parts {
  own: string
  programs: string
  account: { uid: number; gid: number } | undefined
}

async function makeMember({ own, programs, account }: Parts, self: Place, peer: Place) {
  const folder = join(own, self.name)
  await makeFolders(folder)
  await chmod(own, 0o711)
  if (account) await chown(folder, account.uid, account.gid)
  const [data, fence] = [join(folder, 'data'), join(own, 'scripts/fence')]
  const options = `-p ${self.port} -k ${folder} -c listen_addresses=127.0.0.1`
  const control = `${programs}/pg_ctl -D ${data} -l ${folder}/log -w -t 120 -o "${options}" start`
  const lines = {
    PGBIN: programs,
    PGDATA: data,
    PGSOCKET: folder,
    PGPORT: self.port,
    SELF: self.name,
    PEER: peer.name,
    PEER_HOST: '127.0.0.1',
    PEER_PORT: peer.port,
    REPLICATOR: 'replicator',
    START_SERVER: `'${control} >/dev/null'`,
    FENCE_PEER: `'AVAILABILITY_ENV=${join(own, `${peer.name}.env`)} ${fence}'`,
  }
  const environment = join(own, `${self.name}.env`)
  const text = Object.entries(lines).map(([name, value]) => `${name}=${value}\n`)
  await writeFile(environment, text.join(''))
  const env = { PATH: process.env.PATH, AVAILABILITY_ENV: environment, LC_ALL: 'C.UTF-8' }
  const command = async (file: string, ...args: string[]) => {
    const { stdout } = await promisify(execFile)(file, args, { env, cwd: '/', ...account })
    return stdout
  }
  const socket = ['-h', folder, '-p', String(self.port), '-U', 'postgres', '-d', 'postgres']
  return {
    ...self,
    command,
    start: () => command('/bin/sh', '-c', control),
    sql: (statement: string) =>
      command(join(programs, 'psql'), '-XqAt', ...socket, '-c', statement),
    run: (script: string, ...args: string[]) =>
      runScript(join(own, 'scripts', script), args, { env, ...account }),
    postmaster: () => Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10),
    // Every process of a PostgreSQL works in its data folder.
    pids: () =>
      readdirSync('/proc')
        .map(Number)
        .filter((pid) => pid > 0 && cwdOf(pid) === data),
  }
}

/** Runs a script; servers that it starts keep its output open, so that its own end counts. */
function runScript(file: string, args: string[], options: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (more: string) => (text += more))
    child.once('error', reject)
    child.once('exit', (code) => {
      if (code === 0) resolve(text)
      else reject(new Error(`${file} ended with ${code}: ${text}`))
    })
  })
}

function cwdOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

async function accountOf(name: string): Promise<{ uid: number; gid: number }> {
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((one) => one.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  if (!uid || !gid) throw new Error(`there is no account ${name}`)
  return { uid: Number(uid), gid: Number(gid) }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}

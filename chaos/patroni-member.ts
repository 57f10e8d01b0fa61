import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { chown, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { makeFolders } from '#base/kit/folders.ts'
import { certificate, key } from '#test/certificate.ts'
import { type Child, startChild } from './child.ts'
import { run } from './command.ts'
import type { Machine } from './machines.ts'

/** A machine of the database with PostgreSQL, Patroni, etcd and a relay, by deploy/patroni. */
export interface Member extends Machine {
  /** Starts what does not run of etcd, Patroni and the relay. */
  start(): void
  etcd(): Child
  patroni(): Child
  /** A file with what Patroni and PostgreSQL wrote. */
  log: string
  /** The pids of PostgreSQL: its postmaster first. */
  postgres(): number[]
  /** Runs patronictl on it to its end. */
  patronictl(...words: string[]): Promise<string>
  /** A connection as an administrator, by a socket that no network cuts. */
  connect(): pg.Client
}

/** Where the members are, and as whom they run. */
export interface Place {
  folder: string
  /** The folder of PostgreSQL's programs. */
  programs: string
  account: { uid: number; gid: number }
  machines: Machine[]
}

export const ports = { postgres: 5432, health: 8008 }
export const password = 'of-this-run'
const shipped = fileURLToPath(new URL('../deploy/patroni/', import.meta.url))

/** Gives a machine the files of deploy/patroni, with its own addresses; nothing runs yet. */
export async function makeMember(machine: Machine, place: Place): Promise<Member> {
  const { account } = place
  const folder = join(place.folder, machine.name)
  const data = join(folder, 'data')
  await makeFolders(folder)
  await chown(folder, account.uid, account.gid)
  const files: [string, string][] = [
    ['server.crt', `${certificate}\n`],
    ['server.key', `${key}\n`],
    ['config.yml', await configOf(folder)],
    ['relay.cfg', await relayOf(place)],
  ]
  for (const [file, text] of files) {
    await writeFile(join(folder, file), text, { mode: 0o600 })
    await chown(join(folder, file), account.uid, account.gid)
  }
  const settings = await patroniSettings(machine, folder, place)
  const programs = openPrograms(machine, folder, place, {
    etcd: [['etcd'], await etcdSettings(machine, folder, place)],
    patroni: [['/usr/bin/patroni', join(folder, 'config.yml')], settings],
    relay: [['haproxy', '-q', '-db', '-f', join(folder, 'relay.cfg')], {}],
  })
  return {
    ...machine,
    start: programs.start,
    etcd: () => programs.running('etcd'),
    patroni: () => programs.running('patroni'),
    log: join(folder, 'patroni.log'),
    postgres: () => processesIn(data),
    patronictl: (...words) => {
      const env = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
      const control = ['patronictl', '-c', join(folder, 'config.yml')]
      const [file = '', ...args] = [...machine.prefix, 'env', ...env, ...control, ...words]
      return run(file, ...args)
    },
    connect: () => {
      const socket = { host: folder, port: ports.postgres, user: 'postgres', database: 'postgres' }
      const limits = { connectionTimeoutMillis: 3000, query_timeout: 3000 }
      const client = new pg.Client({ ...socket, password, ...limits })
      client.on('error', () => {})
      return client
    },
  }
}

type Settings = Record<string, string>

/** Programs of a machine: their words and settings. */
function openPrograms(
  { name, prefix }: Machine,
  folder: string,
  { programs, account }: Place,
  all: Record<string, [words: string[], settings: Settings]>,
) {
  const running = new Map<string, Child>()
  const as = ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups']
  const path = `${programs}:/usr/sbin:/usr/bin:/sbin:/bin`
  return {
    start: () => {
      for (const [what, [words, settings]] of Object.entries(all))
        if (running.get(what)?.isRunning() !== true)
          running.set(
            what,
            startChild({
              name: `${what} of ${name}`,
              command: [...prefix, ...as, ...words],
              env: { PATH: path, LC_ALL: 'C.UTF-8', ...settings },
              logPath: join(folder, `${what}.log`),
              more: { cwd: folder },
            }),
          )
    },
    running: (what: string) => {
      const child = running.get(what)
      if (child === undefined) throw new Error(`${what} of ${name} was not started`)
      return child
    },
  }
}

async function etcdSettings({ name, host }: Machine, folder: string, { machines }: Place) {
  return {
    ...settingsIn(await readFile(join(shipped, 'etcd.env.example'), 'utf8')),
    ETCD_NAME: name,
    ETCD_DATA_DIR: join(folder, 'etcd'),
    ETCD_LISTEN_PEER_URLS: `http://${host}:2380`,
    ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://${host}:2380`,
    ETCD_LISTEN_CLIENT_URLS: `http://${host}:2379`,
    ETCD_ADVERTISE_CLIENT_URLS: `http://${host}:2379`,
    ETCD_INITIAL_CLUSTER: machines.map((one) => `${one.name}=http://${one.host}:2380`).join(','),
  }
}

async function patroniSettings(
  { name, host }: Machine,
  folder: string,
  { machines, programs }: Place,
) {
  return {
    ...settingsIn(await readFile(join(shipped, 'member.env.example'), 'utf8')),
    PATRONI_NAME: name,
    PATRONI_ETCD_HOSTS: machines.map((one) => `${one.host}:2379`).join(','),
    PATRONI_RESTAPI_CONNECT_ADDRESS: `${host}:${ports.health}`,
    PATRONI_RESTAPI_PASSWORD: password,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${host}:${ports.postgres}`,
    PATRONI_POSTGRESQL_DATA_DIR: join(folder, 'data'),
    PATRONI_POSTGRESQL_BIN_DIR: programs,
    PATRONI_POSTGRESQL_PGPASS: join(folder, 'pgpass'),
    PATRONI_SUPERUSER_PASSWORD: password,
    PATRONI_REPLICATION_PASSWORD: password,
    PATRONI_REWIND_PASSWORD: password,
  }
}

/** What an environment file sets. */
function settingsIn(text: string): Settings {
  const lines = text.split('\n').filter((line) => /^[A-Z0-9_]+=/.test(line))
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s) as [string, string]))
}

/** The shipped configuration with the places of this run; there is no archive. */
async function configOf(folder: string): Promise<string> {
  const text = await readFile(join(shipped, 'patroni.yml'), 'utf8')
  const socket = `parameters:\n    unix_socket_directories: ${folder}`
  const changes: [string, string][] = [
    ['/etc/patroni/server.', `${folder}/server.`],
    ['pgbackrest --stanza=passerelle archive-push %p', '/bin/true'],
    ['pgbackrest --stanza=passerelle archive-get %f %p', '/bin/false'],
    // Whoever runs the experiment is another account, and each machine has its own socket.
    ['postgres    peer', 'postgres    scram-sha-256'],
    ['  use_unix_socket: true', `  use_unix_socket: true\n  ${socket}`],
  ]
  return changes.reduce((all, [from, to]) => {
    if (!all.includes(from)) throw new Error(`patroni.yml has no "${from}"`)
    return all.replaceAll(from, to)
  }, text)
}

async function relayOf({ machines }: Place): Promise<string> {
  const text = await readFile(join(shipped, 'relay.cfg'), 'utf8')
  return machines.reduce(
    (all, { host }, index) => all.replaceAll(`10.0.0.1${index + 1}`, host),
    text,
  )
}

/** The postmaster, then the other processes, which all work in the data folder. */
function processesIn(data: string): number[] {
  const postmaster = Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10)
  const others = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== postmaster && cwdOf(pid) === data)
  return [postmaster, ...others]
}

function cwdOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

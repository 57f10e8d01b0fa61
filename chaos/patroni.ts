import { existsSync, readdirSync } from 'node:fs'
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { makeFolders } from '#base/kit/folders.ts'
import { refuseWhenStopped } from './child.ts'
import { openMachines } from './machines.ts'
import { type Member, makeMember, password, ports } from './patroni-member.ts'

/** Three machines of a database, of which Patroni makes one the primary. */
export interface PatroniCluster {
  members: Member[]
  /** Where gateways come from. */
  ourHost: string
  /** The member that the others take for the primary; that one is not asked. */
  primary(butNot?: Member): Promise<Member>
  /** Waits until all members follow one primary, one of them synchronously. */
  untilWhole(): Promise<void>
  /** How the database is reached at a host and port, whose certificate is looked at. */
  urlAt(place: string, authority: string): string
  close(): Promise<void>
}

const installed = '/usr/lib/postgresql'
const names = ['a', 'b', 'c']
const wholeMsMax = 180_000

/** The folder of PostgreSQL's programs that Debian installed; undefined: there are none. */
function findInstalled(): string | undefined {
  const versions = existsSync(installed) ? readdirSync(installed) : []
  return versions
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(installed, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'pg_rewind')))
}

/** Makes the machines with the files of deploy/patroni, and waits until all follow one primary. */
export async function openPatroni(root: string): Promise<PatroniCluster> {
  const programs = findInstalled()
  if (programs === undefined) throw new Error('no PostgreSQL is installed')
  const account = await accountOf('postgres')
  const folder = join(root, 'patroni')
  await makeFolders(folder)
  await chmod(folder, 0o711)
  const { machines, ourHost, close } = await openMachines(names)
  try {
    const place = { folder, programs, account, machines }
    const members = await Promise.all(machines.map((machine) => makeMember(machine, place)))
    for (const member of members) member.start()
    await untilWhole(members)
    await createDatabase(await primaryOf(members, members))
    const login = `passerelle:${password}`
    return {
      members,
      ourHost,
      primary: (butNot) =>
        primaryOf(
          members.filter((one) => one !== butNot),
          members,
        ),
      untilWhole: () => untilWhole(members),
      urlAt: (at, authority) =>
        `postgresql://${login}@${at}/passerelle?sslmode=verify-full&sslrootcert=${authority}`,
      close,
    }
  } catch (problem) {
    await close()
    throw problem
  }
}

async function createDatabase(primary: Member): Promise<void> {
  const client = primary.connect()
  await client.connect()
  await client.query('create role passerelle_app nologin')
  await client.query(`create role passerelle login password '${password}'`)
  await client.query('grant passerelle_app to passerelle')
  await client.query('create database passerelle owner passerelle')
  await client.end()
}

interface Shown {
  name: string
  role: string
  state: string
  timeline?: number
  lag?: number | string
}

/** What a member says of all of them; undefined while it does not answer. */
async function shownBy({ host }: Member): Promise<Shown[] | undefined> {
  try {
    const limits = { headersTimeout: 2000, bodyTimeout: 2000 }
    const { statusCode, body } = await request(`http://${host}:${ports.health}/cluster`, limits)
    const text = await body.text()
    return statusCode === 200 ? (JSON.parse(text) as { members: Shown[] }).members : undefined
  } catch {
    return undefined
  }
}

async function primaryOf(asked: Member[], members: Member[]): Promise<Member> {
  for (const one of asked) {
    const leader = (await shownBy(one))?.find(({ role }) => role === 'leader')
    const found = members.find(({ name }) => name === leader?.name)
    if (found) return found
  }
  throw new Error('no member knows a primary')
}

async function untilWhole(members: Member[]): Promise<void> {
  const endMs = performance.now() + wholeMsMax
  for (;;) {
    const shown = await Promise.all(members.map(shownBy))
    if (shown.every((one) => one !== undefined && isWhole(one))) return
    if (performance.now() > endMs)
      throw new Error(`the members do not come together: ${JSON.stringify(shown)}`)
    refuseWhenStopped()
    await sleep(250)
  }
}

function isWhole(shown: Shown[]): boolean {
  const has = (wanted: string) => shown.some(({ role }) => role === wanted)
  const timelines = new Set(shown.map(({ timeline }) => timeline))
  return (
    shown.length === names.length &&
    has('leader') &&
    has('sync_standby') &&
    timelines.size === 1 &&
    shown.every(({ state, lag = 0 }) => /running|streaming/.test(state) && Number(lag) < 2 ** 20)
  )
}

async function accountOf(name: string): Promise<{ uid: number; gid: number }> {
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((one) => one.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  if (!uid || !gid) throw new Error(`there is no account ${name}`)
  return { uid: Number(uid), gid: Number(gid) }
}

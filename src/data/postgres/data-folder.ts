import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, realpath, rename, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { makeFolders } from '#base/kit/folders.ts'
import { Problem } from '#base/kit/problem.ts'

const logBytesMax = 10 * 1024 * 1024
const socketPathBytesMax = 100 // the kernel's limit is 108 on Linux, 104 on macOS
const socketFileName = '.s.PGSQL.5432'

/** An error of the embedded PostgreSQL that the operator can fix. */
export class EmbeddedPostgresProblem extends Problem {
  override name = 'EmbeddedPostgresProblem'
}

/** The paths of one embedded PostgreSQL: absolute, without symbolic links. */
export interface DataFolder {
  root: string
  /** PostgreSQL's own data directory. */
  cluster: string
  /** Links to the shared libraries. */
  lib: string
  log: string
}

/** The server process of a cluster, as its postmaster.pid names it. */
export interface Postmaster {
  pid: number
  socketFolder: string
  status: string
}

/** A user account of this machine, for the ownership of files and processes. */
export interface Account {
  uid: number
  gid: number
}

/** Creates the data folder if it is missing, and returns its paths. */
export async function openDataFolder(dataDir: string): Promise<DataFolder> {
  await makeFolders(resolve(dataDir))
  const root = await realpath(dataDir)
  if (/[:;]/.test(root)) {
    // They separate folders in LD_LIBRARY_PATH and cannot be escaped.
    throw new EmbeddedPostgresProblem(
      `${root} cannot hold PostgreSQL: a colon or semicolon is in its path.`,
    )
  }
  return {
    root,
    cluster: join(root, 'postgres'),
    lib: join(root, 'lib'),
    log: join(root, 'postgres.log'),
  }
}

/** Whether a PostgreSQL was made in a data folder; looks only. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  try {
    return (await stat(join(dataDir, 'postgres')).catch(ignoreMissing)) !== undefined
  } catch (error) {
    throw explainError(error)
  }
}

/** The postmaster that runs on the cluster, if any; a stale postmaster.pid does not count. */
export async function findPostmaster(data: DataFolder): Promise<Postmaster | undefined> {
  const postmaster = await readPostmasterFile(data)
  return postmaster && (await isPostmasterOf(data, postmaster.pid)) ? postmaster : undefined
}

/** The pid in a stale postmaster.pid, left by a killed server; another process may have it now. */
export async function findStalePid(data: DataFolder): Promise<number | undefined> {
  const postmaster = await readPostmasterFile(data)
  return postmaster && !(await isPostmasterOf(data, postmaster.pid)) ? postmaster.pid : undefined
}

async function readPostmasterFile(data: DataFolder): Promise<Postmaster | undefined> {
  const text = await readFile(join(data.cluster, 'postmaster.pid'), 'utf8').catch(ignoreMissing)
  const [pid, , , , socketFolder = '', , , status = ''] = (text ?? '').split('\n')
  return Number(pid) > 0 ? { pid: Number(pid), socketFolder, status: status.trim() } : undefined
}

// A pid alone proves nothing: after a reboot it may belong to any other process of this user.
async function isPostmasterOf(data: DataFolder, pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  if (process.platform !== 'linux') return true
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return command.split('\0').includes(data.cluster)
}

/** Creates a folder that only its owner may enter; throws if it belongs to another user. */
export async function makePrivateFolder(
  data: DataFolder,
  path: string,
  owner?: Account,
): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch(ignoreExisting)
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  const folder = await open(path, flags)
  try {
    const { uid } = await folder.stat()
    const self = process.getuid?.()
    const mayTakeOver = self === 0 && path.startsWith(data.root + sep)
    if (uid !== self && uid !== owner?.uid && !mayTakeOver) {
      throw new EmbeddedPostgresProblem(`${path} belongs to another user (number ${uid}).`)
    }
    await folder.chmod(0o700)
    if (self === 0) await folder.chown(owner?.uid ?? 0, owner?.gid ?? 0)
  } finally {
    await folder.close()
  }
}

/** The folder of the Unix socket: beside the cluster, or in /tmp when that path is unusable. */
export function socketFolderOf(data: DataFolder, owner?: Account): string {
  const beside = join(data.root, 'socket')
  // A comma separates hosts in a connection string and cannot be escaped.
  const fits = Buffer.byteLength(join(beside, socketFileName)) <= socketPathBytesMax
  if (fits && !beside.includes(',')) return beside
  const hash = createHash('sha256').update(data.root).digest('hex').slice(0, 16)
  return join(tmpdir(), `passerelle-${owner?.uid ?? process.getuid?.()}-${hash}`)
}

/** Opens the server log for appending; a log above 10 MB is first renamed to postgres.log.1. */
export async function openLog(data: DataFolder, owner?: Account): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  const openOnce = () => open(data.log, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  let log = await openOnce()
  if ((await log.stat()).size > logBytesMax) {
    await log.close()
    await rename(data.log, `${data.log}.1`)
    log = await openOnce()
  }
  if (owner) await log.chown(owner.uid, owner.gid)
  return log
}

/** Turns a file system error into an `EmbeddedPostgresProblem`; returns any other unchanged. */
export function explainError(error: unknown): unknown {
  const { code, path, dest } = error as NodeJS.ErrnoException & { dest?: string }
  const meaning = meanings[code ?? '']
  return meaning && path ? new EmbeddedPostgresProblem(`${dest ?? path} ${meaning}.`) : error
}

const meanings: Record<string, string> = {
  ENOENT: 'is missing or cannot be used on this system',
  EACCES: 'cannot be reached or written by this user',
  EPERM: 'cannot be changed by this user',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'does not fit: the disk is full',
  EEXIST: 'is in the way: it should be a folder',
  ENOTDIR: 'is not a folder',
  ENOTEMPTY: 'holds files that are not a PostgreSQL cluster',
  ELOOP: 'is a symbolic link, which is not followed here',
}

/** For `catch`: a missing file or folder becomes undefined; any other error is thrown. */
export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, realpath, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { makeFolders } from '../kit/folders.ts'
import { Problem } from '../kit/problem.ts'

const MAX_LOG_BYTES = 10 * 1024 * 1024
const MAX_SOCKET_PATH_BYTES = 100 // the kernel takes 108 on Linux, 104 on macOS
const SOCKET_NAME = '.s.PGSQL.5432'

/** An expected trouble with the embedded PostgreSQL, told in one sentence for the person there. */
export class EmbeddedPostgresProblem extends Problem {
  override name = 'EmbeddedPostgresProblem'
}

/** Where everything of one embedded PostgreSQL lies, as absolute paths without symbolic links. */
export interface Home {
  root: string
  cluster: string
  lib: string
  log: string
}

/** The process that serves a cluster, as its postmaster.pid tells. */
export interface Postmaster {
  pid: number
  socketFolder: string
  status: string
}

/** A user of this machine that may own files and run processes. */
export interface Account {
  uid: number
  gid: number
}

/** Makes the data folder if it is missing and says where everything in it lies. */
export async function openHome(dataDir: string): Promise<Home> {
  await makeFolders(resolve(dataDir))
  const root = await realpath(dataDir)
  if (/[:;]/.test(root)) {
    // They separate folders in LD_LIBRARY_PATH, and no escape exists.
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

/** The postmaster that runs on the cluster now, if one does; a stale postmaster.pid is none. */
export async function findPostmaster(home: Home): Promise<Postmaster | undefined> {
  const postmaster = await readPostmasterFile(home)
  return postmaster && (await isPostmasterOf(home, postmaster.pid)) ? postmaster : undefined
}

/** The number in a postmaster.pid that a killed server left; it may be another process by now. */
export async function findStalePid(home: Home): Promise<number | undefined> {
  const postmaster = await readPostmasterFile(home)
  return postmaster && !(await isPostmasterOf(home, postmaster.pid)) ? postmaster.pid : undefined
}

async function readPostmasterFile(home: Home): Promise<Postmaster | undefined> {
  const text = await readFile(join(home.cluster, 'postmaster.pid'), 'utf8').catch(ignoreMissing)
  const [pid, , , , socketFolder = '', , , status = ''] = (text ?? '').split('\n')
  return Number(pid) > 0 ? { pid: Number(pid), socketFolder, status: status.trim() } : undefined
}

// A number alone proves nothing: after a reboot it may belong to any other process of this user.
async function isPostmasterOf(home: Home, pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  if (process.platform !== 'linux') return true
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return command.split('\0').includes(home.cluster)
}

/** Makes a folder that only its owner may enter; refuses one that a stranger has put there. */
export async function makePrivateFolder(home: Home, path: string, owner?: Account): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch(ignoreExisting)
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  const folder = await open(path, flags)
  try {
    const { uid } = await folder.stat()
    const self = process.getuid?.()
    const mayTake = self === 0 && path.startsWith(home.root + sep)
    if (uid !== self && uid !== owner?.uid && !mayTake) {
      throw new EmbeddedPostgresProblem(`${path} belongs to another user (number ${uid}).`)
    }
    await folder.chmod(0o700)
    if (self === 0) await folder.chown(owner?.uid ?? 0, owner?.gid ?? 0)
  } finally {
    await folder.close()
  }
}

/** The folder for the socket: beside the cluster, or a short one when that path would not do. */
export function socketFolderOf(home: Home, owner?: Account): string {
  const near = join(home.root, 'socket')
  // A comma separates hosts in a connection string, and no escape exists.
  const fits = Buffer.byteLength(join(near, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES
  if (fits && !near.includes(',')) return near
  const hash = createHash('sha256').update(home.root).digest('hex').slice(0, 16)
  return join(tmpdir(), `passerelle-${owner?.uid ?? process.getuid?.()}-${hash}`)
}

/** Opens the server log for appending, after putting a long one aside as postgres.log.1. */
export async function openLog(home: Home, owner?: Account): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  const openOnce = () => open(home.log, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  let log = await openOnce()
  if ((await log.stat()).size > MAX_LOG_BYTES) {
    await log.close()
    await rename(home.log, `${home.log}.1`)
    log = await openOnce()
  }
  if (owner) await log.chown(owner.uid, owner.gid)
  return log
}

/**
 * Turns an error of the file system into a problem told in one sentence; others stay themselves.
 */
export function explainError(error: unknown): unknown {
  const { code, path, dest } = error as NodeJS.ErrnoException & { dest?: string }
  const meaning = MEANINGS[code ?? '']
  return meaning && path ? new EmbeddedPostgresProblem(`${dest ?? path} ${meaning}.`) : error
}

const MEANINGS: Record<string, string> = {
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

/** For catch: a file or folder that is not there is no error, but undefined. */
export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

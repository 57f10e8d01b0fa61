/*
 * The folder of an archive:
 *
 *   archive.json                          which server it is of; made again when it is missing
 *   base/20261117T021500Z/                a base backup: the server's files at one time
 *     backup.json                         what it is, with a code that proves it unchanged
 *     base.tar.sealed, manifest.sealed    the files, and the server's list of them
 *   wal/00000001/<name>.sealed            the log of changes, by timeline, a file for each 16 MB
 *   wal/00000001/<name>.<run>.partial     the file that is being received
 *
 * There is no list beside the files that could differ from them: what exists is what counts. A base
 * backup is made as `<name>.draft` and renamed when all of it is on the disk.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolders } from '../kit/folders.ts'
import { Problem } from '../kit/problem.ts'
import { nameOfSegment, segmentOfName } from './lsn.ts'

export interface Archive {
  folder: string
  key: Buffer
  /** The server's own id, which its copies share. */
  systemId: string
  segmentBytes: number
}

/** A base backup. */
export interface Base {
  name: string
  systemId: string
  segmentBytes: number
  /** PostgreSQL's version, as 180004. */
  serverVersion: number
  database: string
  login: string
  timeline: number
  startLsn: string
  endLsn: string
  /** By the server's clock. A restore to a moment needs one that has ended before it. */
  startedAt: string
  endedAt: string
  /** Of the server's files, and of what is stored. */
  bytes: number
  storedBytes: number
}

const archiveFile = 'archive.json'

/** Opens an archive that exists, to read it; throws a `Problem` if there is none. */
export async function openArchive(folder: string, key: Buffer): Promise<Archive> {
  const found = await readArchiveFile(folder, key)
  if (found !== undefined) return found
  const [base] = (await listBases({ folder, key })).bases
  if (base === undefined) throw new Problem(`There is no backup in ${folder}.`)
  return { folder, key, systemId: base.systemId, segmentBytes: base.segmentBytes }
}

/** Opens the archive of this server, or begins one; refuses that of another server or key. */
export async function openArchiveFor(
  folder: string,
  key: Buffer,
  server: { systemId: string; segmentBytes: number },
): Promise<Archive> {
  const archive = { folder, key, ...server }
  const found = await openArchive(folder, key).catch((problem: Error) => {
    if (/There is no backup/.test(problem.message)) return undefined
    throw problem
  })
  if (found !== undefined && found.systemId !== server.systemId)
    throw new Problem(
      `${folder} is the archive of another PostgreSQL (${found.systemId}): use another folder.`,
    )
  try {
    await makeFolders(join(folder, 'base'))
    await makeFolders(join(folder, 'wal'))
    if ((await readArchiveFile(folder, key)) === undefined)
      await writeWhole(join(folder, archiveFile), JSON.stringify(signed(key, server)))
  } catch (problem) {
    throw explainFolder(folder, problem as Error)
  }
  return archive
}

/** Says what is wrong with a folder; returns any other problem unchanged. */
export function explainFolder(folder: string, problem: Error): Error {
  const { code } = problem as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new Problem(`The disk of ${folder} is full.`, { cause: problem })
  if (
    code !== undefined &&
    ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'EIO', 'EFBIG'].includes(code)
  )
    return new Problem(`${folder} cannot be written (${code}).`, { cause: problem })
  return problem
}

async function readArchiveFile(folder: string, key: Buffer): Promise<Archive | undefined> {
  const path = join(folder, archiveFile)
  const text = await readFile(path, 'utf8').catch(ignoreMissing)
  if (text === undefined) return undefined
  const { systemId, segmentBytes } = readSigned(path, text, key) as unknown as Archive
  return { folder, key, systemId, segmentBytes }
}

/** The base backups, oldest first, and what is wrong with those that cannot be used. */
export async function listBases({
  folder,
  key,
}: Pick<Archive, 'folder' | 'key'>): Promise<{ bases: Base[]; problems: string[] }> {
  const names = (await readdir(join(folder, 'base')).catch(ignoreMissing)) ?? []
  const bases: Base[] = []
  const problems: string[] = []
  for (const name of names.filter((one) => !one.endsWith('.draft')).sort()) {
    const path = join(folder, 'base', name, 'backup.json')
    try {
      const base = readSigned(path, await readFile(path, 'utf8'), key) as unknown as Base
      if (base.name !== name) throw new Problem(`${path} is that of ${base.name}.`)
      bases.push(base)
    } catch (problem) {
      problems.push((problem as Error).message)
    }
  }
  if (bases.length === 0 && problems[0] !== undefined) throw new Problem(problems[0])
  return { bases: bases.sort((a, b) => a.endedAt.localeCompare(b.endedAt)), problems }
}

/** Where the files of a base backup are, and under which names they were sealed. */
export function baseFiles({ folder, key }: Archive, name: string, isDraft = false) {
  const place = join(folder, 'base', isDraft ? `${name}.draft` : name)
  return {
    folder: place,
    tar: { path: join(place, 'base.tar.sealed'), key, name: `base/${name}/base.tar` },
    manifest: { path: join(place, 'manifest.sealed'), key, name: `base/${name}/manifest` },
  }
}

/** Makes a draft count: from here on it is a base backup. */
export async function publishBase(archive: Archive, base: Base): Promise<void> {
  const draft = baseFiles(archive, base.name, true).folder
  await writeWhole(join(draft, 'backup.json'), JSON.stringify(signed(archive.key, base), null, 2))
  await syncFolder(draft)
  await rename(draft, baseFiles(archive, base.name).folder)
  await syncFolder(join(archive.folder, 'base'))
}

/** Removes a base backup; one that is half removed no longer counts. */
export async function removeBase(archive: Archive, name: string): Promise<void> {
  const { folder } = baseFiles(archive, name)
  await rename(folder, `${folder}.draft`)
  await rm(`${folder}.draft`, { recursive: true, force: true })
}

/** Removes what interrupted backups have left; only while no other backup is under way. */
export async function removeDrafts({ folder }: Archive): Promise<void> {
  for (const name of await readdir(join(folder, 'base')))
    if (name.endsWith('.draft')) await rm(join(folder, 'base', name), { recursive: true })
}

/** The files of the log on one timeline. */
export interface TimelineFiles {
  timeline: number
  /** The places of the whole ones, in order. */
  whole: bigint[]
  /** Those that were being received: the last one, and what earlier runs have left. */
  partial: { index: bigint; path: string }[]
}

/** The log of changes that is there, by timeline. */
export async function listLog({ folder, segmentBytes }: Archive): Promise<TimelineFiles[]> {
  const timelines = (await readdir(join(folder, 'wal')).catch(ignoreMissing)) ?? []
  return Promise.all(
    timelines
      .filter((name) => /^[0-9A-F]{8}$/.test(name))
      .sort()
      .map(async (name) => {
        const place = join(folder, 'wal', name)
        const files = (await readdir(place)).map((file) => {
          const [, segment = '', kind] = /^([0-9A-F]{24})\.(sealed|.+\.partial)$/.exec(file) ?? []
          return { index: segmentOfName(segment, segmentBytes)?.index, kind, file }
        })
        const partial = files.flatMap(({ index, kind, file }) =>
          index !== undefined && kind !== 'sealed' ? [{ index, path: join(place, file) }] : [],
        )
        const whole = files.flatMap(({ index, kind }) =>
          index !== undefined && kind === 'sealed' ? [index] : [],
        )
        whole.sort((a, b) => (a < b ? -1 : 1))
        return { timeline: Number.parseInt(name, 16), whole, partial }
      }),
  )
}

/** Where a file of the log is, and under which name it was sealed. */
export function logFile(archive: Archive, timeline: number, index: bigint) {
  const name = nameOfSegment({ timeline, index }, archive.segmentBytes)
  const folder = join(archive.folder, 'wal', name.slice(0, 8))
  const sealed = { path: join(folder, `${name}.sealed`), key: archive.key, name: `wal/${name}` }
  return { folder, segment: name, ...sealed }
}

/** Writes a small file so that it is there whole or not at all. */
async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${text}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
}

/** Without it a power cut could undo a rename. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function codeOf(key: Buffer, value: object): string {
  return createHmac('sha256', key).update(JSON.stringify(value)).digest('hex')
}

function signed(key: Buffer, value: object): object {
  return { ...value, code: codeOf(key, value) }
}

function readSigned(path: string, text: string, key: Buffer): Record<string, unknown> {
  let value: Record<string, unknown>
  try {
    value = JSON.parse(text)
  } catch {
    throw new Problem(`${path} is damaged.`)
  }
  const { code, ...rest } = value
  const expected = Buffer.from(codeOf(key, rest))
  const given = Buffer.from(String(code))
  if (given.length === expected.length && timingSafeEqual(given, expected)) return rest
  throw new Problem(
    `${path} was changed, or made with another key: give the BACKUP_KEY or SECRET_KEY of then.`,
  )
}

export function ignoreMissing(problem: NodeJS.ErrnoException): undefined {
  if (problem.code !== 'ENOENT') throw problem
}

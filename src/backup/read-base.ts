import { createHash } from 'node:crypto'
import type { Archive, Base } from './archive.ts'
import { baseFiles } from './archive.ts'
import { DamagedFile, readSealed } from './sealed-file.ts'
import type { TarEntry } from './tar.ts'
import { readTar } from './tar.ts'

interface ManifestFile {
  size: number
  sha256: string
}

/** Where the files of a base backup go: to a folder, or nowhere when they are only checked. */
export interface BaseTarget {
  folder(name: string): Promise<void>
  file(name: string, content: AsyncIterable<Buffer>): Promise<void>
}

/** Takes the files and keeps none. */
export const nowhere: BaseTarget = {
  folder: async () => {},
  file: async (...[, content]) => {
    for await (const _ of content);
  },
}

/**
 * Reads a base backup and proves it: every chunk, the server's own list of files, and each file by
 * the checksum that the server made while it sent it. Returns how many files there were.
 */
export async function readBase(
  archive: Archive,
  base: Base,
  target: BaseTarget,
  /** Called now and then; what it throws ends the reading. */
  between: () => void = () => {},
): Promise<number> {
  const files = baseFiles(archive, base.name)
  const expected = readManifest(base, await readAll(readSealed(files.manifest)))
  const pieces = async function* () {
    for await (const { data } of readSealed(files.tar)) {
      between()
      yield data
    }
  }
  const seen = new Set<string>()
  for await (const entry of readTar(pieces())) {
    if (entry.kind === 'folder') await target.folder(entry.name)
    if (entry.kind === 'link')
      throw new DamagedFile(`The base backup ${base.name} has the link ${entry.name}.`)
    if (entry.kind !== 'file') continue
    const { size, sha256 } = await take(entry, target)
    seen.add(entry.name)
    // The log itself is not in the list: each of its records has a checksum of its own.
    if (entry.name.startsWith('pg_wal/')) continue
    const listed = expected.get(entry.name)
    if (listed?.size !== size || listed.sha256 !== sha256)
      throw new DamagedFile(
        `${entry.name} of the base backup ${base.name} is not as the server sent it.`,
      )
  }
  for (const name of expected.keys())
    if (!seen.has(name))
      throw new DamagedFile(`${name} of the base backup ${base.name} is missing.`)
  return seen.size
}

async function take(entry: TarEntry, target: BaseTarget): Promise<ManifestFile> {
  const hash = createHash('sha256')
  let size = 0
  const content = async function* () {
    for await (const part of entry.content()) {
      hash.update(part)
      size += part.length
      yield part
    }
  }
  await target.file(entry.name, content())
  return { size, sha256: hash.digest('hex') }
}

async function readAll(chunks: AsyncIterable<{ data: Buffer }>): Promise<string> {
  const parts: Buffer[] = []
  for await (const { data } of chunks) parts.push(data)
  return Buffer.concat(parts).toString('utf8')
}

interface Manifest {
  Files: { Path: string; Size: number; 'Checksum-Algorithm': string; Checksum: string }[]
  'Manifest-Checksum': string
}

/** Reads the server's list, whose last line is the checksum of all before it. */
function readManifest({ name }: Base, text: string): Map<string, ManifestFile> {
  const listed = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)
  const { Files: files, 'Manifest-Checksum': checksum } = JSON.parse(text) as Manifest
  if (createHash('sha256').update(listed).digest('hex') !== checksum)
    throw new DamagedFile(`The list of files of the base backup ${name} is damaged.`)
  return new Map(
    files.map((one) => [one.Path, { size: one.Size, sha256: one.Checksum.toLowerCase() }]),
  )
}

import { listBases, openArchive } from '../backup/archive.ts'
import { backupKeyOf } from '../backup/key.ts'
import { openReplication } from '../backup/replication.ts'
import { findSlot, readSource } from '../backup/source-store.ts'
import type { Config } from '../config/config.ts'
import { isDatabaseMade } from '../db/server.ts'
import { findPrograms } from '../postgres/runner.ts'
import type { Finding } from './doctor.ts'
import { ok, problem, warning, writableFolder } from './doctor.ts'
import { onServer } from './session.ts'

/** Whether an archive can be kept and restored here. */
export async function checkBackup(config: Config): Promise<Finding[]> {
  const { backupDir: folder, mode } = config
  if (folder === null)
    return mode === 'live' ? [warning('BACKUP_DIR is not set: no archive is kept')] : []
  try {
    await writableFolder(folder)
  } catch (wrong) {
    return [problem(`BACKUP_DIR ${folder} cannot be used: ${(wrong as Error).message}`)]
  }
  try {
    const isThere = await isDatabaseMade(config)
    return [await checkArchive(config, folder), ...(isThere ? await checkSource(config) : [])]
  } catch (wrong) {
    return [problem((wrong as Error).message)]
  }
}

async function checkArchive(config: Config, folder: string): Promise<Finding> {
  const key = backupKeyOf(config)
  // A wrong key is found here, and not on the day of a restore.
  const hasBegun = await openArchive(folder, key).then(
    () => true,
    (wrong: Error) => {
      if (wrong.message.startsWith('There is no backup')) return false
      throw wrong
    },
  )
  const last = hasBegun ? (await listBases({ folder, key })).bases.at(-1) : undefined
  return last === undefined
    ? warning(`BACKUP_DIR ${folder} has no base backup yet: a worker makes it`)
    : ok(`BACKUP_DIR ${folder} has a base backup of ${last.endedAt}`)
}

async function checkSource(config: Config): Promise<Finding[]> {
  const { version, slot } = await onServer(async (server) => {
    const session = await openReplication(config.backupUrl ?? server.url, 'passerelle-doctor')
    try {
      const source = await readSource(session)
      return { version: source.serverVersion, slot: await findSlot(session) }
    } finally {
      await session.close()
    }
  })
  const major = String(Math.floor(version / 10_000))
  const canRestore = (await findPrograms(major, config.pgBin)) !== null
  return [
    ok('the server lets its files and its log be read for backups'),
    ...(slot?.state === 'lost'
      ? [problem('the server has removed a part of its log before the archive had it')]
      : []),
    canRestore
      ? ok(`PostgreSQL ${major} is here to restore with`)
      : warning(`the programs of PostgreSQL ${major} are not here: no restore, no check (PG_BIN)`),
  ]
}

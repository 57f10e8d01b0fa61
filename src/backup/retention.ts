import { rm } from 'node:fs/promises'
import type { Archive } from './archive.ts'
import { listBases, listLog, logFile, removeBase } from './archive.ts'
import { findExpired } from './plan.ts'

/** Removes what no moment since the cutoff needs; how much it was. */
export async function removeExpired(
  archive: Archive,
  cutoff: Date,
): Promise<{ bases: number; logFiles: number }> {
  const { bases } = await listBases(archive)
  const log = await listLog(archive)
  const expired = findExpired(bases, log, cutoff)
  // Base backups first: one whose log is gone must not be chosen for a restore.
  for (const { name } of expired.bases) await removeBase(archive, name)
  let logFiles = 0
  for (const { timeline, before } of expired.log) {
    const own = log.find((one) => one.timeline === timeline)
    const whole = own?.whole.filter((index) => index < before) ?? []
    const partial = own?.partial.filter(({ index }) => index < before) ?? []
    for (const index of whole) await rm(logFile(archive, timeline, index).path)
    for (const { path } of partial) await rm(path)
    logFiles += whole.length + partial.length
  }
  return { bases: expired.bases.length, logFiles }
}

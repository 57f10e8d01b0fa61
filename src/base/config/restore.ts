import { resolve } from 'node:path'
import type { ReadSetting } from './settings.ts'

/** The settings of restores, which `passerelle drill` tries. */
export interface RestoreConfig {
  /** What restores the database into a folder; null: nothing was set up. */
  restoreCommand: string | null
  /** The folder of PostgreSQL's programs; null: found by their version. */
  pgBin: string | null
}

/** Reads the settings of restores. */
export function readRestore(text: ReadSetting, refuse: (sentence: string) => void): RestoreConfig {
  const [command, programs] = [text('RESTORE_COMMAND'), text('PG_BIN')]
  const isAlways = command?.replaceAll(/\[[^\][]*\]/g, '') ?? '{folder}'
  if (!isAlways.includes('{folder}'))
    refuse('RESTORE_COMMAND must have {folder}, where the database is restored to.')
  if (/\{moment\}|[[\]]/.test(isAlways))
    refuse('RESTORE_COMMAND must have {moment} in [brackets], left out for the newest state.')
  if (/['"]/.test(isAlways))
    refuse('RESTORE_COMMAND is run without a shell: it must have no quotation marks.')
  return {
    restoreCommand: command ?? null,
    pgBin: programs === undefined ? null : resolve(programs),
  }
}

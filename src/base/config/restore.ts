import type { ReadSetting } from './settings.ts'

/** Reads the command of restores. */
export function readRestoreCommand(
  text: ReadSetting,
  refuse: (sentence: string) => void,
): string | null {
  const command = text('RESTORE_COMMAND')
  const isAlways = command?.replaceAll(/\[[^\][]*\]/g, '') ?? '{folder}'
  if (!isAlways.includes('{folder}'))
    refuse('RESTORE_COMMAND must have {folder}, where the database is restored to.')
  if (/\{moment\}|[[\]]/.test(isAlways))
    refuse('RESTORE_COMMAND must have {moment} in [brackets], left out for the newest state.')
  if (/['"]/.test(isAlways))
    refuse('RESTORE_COMMAND is run without a shell: it must have no quotation marks.')
  return command ?? null
}

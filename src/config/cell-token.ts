import type { ReadSetting } from './settings.ts'

export interface CellTokenSettings {
  /** What this cell and others have in common, to move clients; null: none comes or goes. */
  cellToken: string | null
}

export function readCellToken(
  text: ReadSetting,
  refuse: (sentence: string) => void,
): CellTokenSettings {
  const cellToken = text('CELL_TOKEN') ?? null
  if (cellToken !== null && !/^[\x21-\x7e]{32,200}$/.test(cellToken))
    refuse('CELL_TOKEN must be 32 to 200 characters, such as the output of: openssl rand -hex 32')
  return { cellToken }
}

import { isCellName } from '../kit/cell-names.ts'
import type { ReadSetting } from './settings.ts'

export interface CellSettings {
  /** The name of this cell; null: there are no cells. */
  cell: string | null
  /** Cells that the page of health also shows. */
  otherCells: { name: string; url: string }[]
  /** Lets other cells, and nobody else, ask how this one is; null: nobody. */
  healthToken: string | null
}

/** Reads the settings of cells. */
export function readCells(text: ReadSetting, refuse: (sentence: string) => void): CellSettings {
  const cell = text('CELL') ?? null
  if (cell !== null && !isCellName(cell))
    refuse(
      'CELL must be a small letter and up to 11 small letters or digits, such as c1, ' +
        `not "${cell}".`,
    )
  const healthToken = text('HEALTH_TOKEN') ?? null
  if (healthToken !== null && !/^[\x21-\x7e]{32,256}$/.test(healthToken))
    refuse('HEALTH_TOKEN must be 32 to 256 characters without spaces.')
  const otherCells = readOthers(text('OTHER_CELLS'), refuse)
  if (otherCells.length > 0 && healthToken === null)
    refuse('OTHER_CELLS needs HEALTH_TOKEN, the same in all cells.')
  return { cell, otherCells, healthToken }
}

function readOthers(
  value: string | undefined,
  refuse: (sentence: string) => void,
): CellSettings['otherCells'] {
  const items = (value ?? '').split(/,\s*/).filter(Boolean)
  return items.flatMap((item) => {
    const [, name = '', url = ''] = /^([^=]*)=(https?:\/\/.+)$/.exec(item) ?? []
    if (isCellName(name) && URL.canParse(url)) return [{ name, url: url.replace(/\/+$/, '') }]
    refuse(
      `OTHER_CELLS must look like c2=https://10.0.2.1:8080, separated by commas, not "${item}".`,
    )
    return []
  })
}

import { isCellName } from '#base/kit/cell-names.ts'

/** Reads the name of this cell; null: there are no cells. */
export function readCell(
  value: string | undefined,
  refuse: (sentence: string) => void,
): string | null {
  if (value !== undefined && !isCellName(value))
    refuse(
      'CELL must be a small letter and up to 11 small letters or digits, such as c1, ' +
        `not "${value}".`,
    )
  return value ?? null
}

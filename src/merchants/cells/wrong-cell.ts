import { Refusal, reason } from '#base/kit/refusal.ts'

/** The refusal of what belongs to another cell: the way in has sent it to the wrong one. */
export function wrongCell(cell: string): Refusal {
  return new Refusal(
    'wrong_cell',
    reason('This belongs to the cell {cell}, which is not this one', { cell }),
  )
}

// Spaces that do not break: a narrow one between groups of digits, a normal one before the unit.
const groupSpace = '\u202f'
const unitSpace = '\u00a0'

/** Whole francs as they are written in West Africa: 1 000 000 F CFA. Never breaks in a line. */
export function formatAmount(amount: number): string {
  return `${String(amount).replaceAll(/\B(?=(\d{3})+$)/g, groupSpace)}${unitSpace}F CFA`
}

// Spaces that do not break: a narrow one between groups of digits, a normal one before the unit.
const groupSpace = '\u202f'
const unitSpace = '\u00a0'

/** Whole francs as they are written in West Africa: 1 000 000 F CFA. Never breaks in a line. */
export function formatAmount(amount: number): string {
  return `${formatCount(amount)}${unitSpace}F CFA`
}

/** A whole number with spaces between groups of three digits. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, groupSpace)
}

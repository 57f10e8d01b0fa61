// Spaces that do not break: a narrow one between groups of digits, a normal one before the unit.
const groupSpace = '\u202f'
const unitSpace = '\u00a0'

/** Whole francs as they are written in West Africa: 1 000 000 F CFA. Never breaks in a line. */
export function formatAmount(amount: number): string {
  return `${formatCount(amount)}${unitSpace}F CFA`
}

// Spaces may group the digits; a point or comma may not, since 1.000 could mean one or a thousand.
const wholeAmount = /^\d{1,3}(?:\s\d{3})*$|^\d+$/
const francsMax = 999_999_999_999
const unit = /\s*(f\s?cfa|xof|f)\.?$/i

/** Whole francs as people write them: 15000, 15 000, 15 000 F, 15 000 FCFA; else undefined. */
export function readAmount(text: string): number | undefined {
  const bare = text.trim().replace(unit, '')
  if (!wholeAmount.test(bare)) return undefined
  const francs = Number(bare.replaceAll(/\s/g, ''))
  return francs <= francsMax ? francs : undefined
}

/** A whole number with spaces between groups of three digits. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, groupSpace)
}

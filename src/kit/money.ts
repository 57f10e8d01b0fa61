// A thin one between groups, so that a line never breaks inside an amount.
const groupSpace = '\u202f'
const unitSpace = '\u00a0'

/** Whole francs as people here write them: 1 000 000 F CFA, on one line. */
export function formatAmount(amount: number): string {
  return `${String(amount).replaceAll(/\B(?=(\d{3})+$)/g, groupSpace)}${unitSpace}F CFA`
}

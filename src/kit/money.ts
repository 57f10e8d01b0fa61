/** Whole francs as people here write them: 1 000 000 F CFA, with spaces that do not break. */
export function formatAmount(francs: number): string {
  const grouped = String(francs).replaceAll(/\B(?=(\d{3})+$)/g, '\u202f')
  return `${grouped}\u00a0F CFA`
}

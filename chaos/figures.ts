/** The value below which a share of the values lies; 0 for none. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

/** Median and largest, for people. */
export function spread(values: number[]): string {
  return `${quantile(values, 0.5)}, ${Math.max(...values)} ms`
}

export function shareWithin(values: number[], most: number): number {
  return values.filter((value) => value <= most).length / Math.max(1, values.length)
}

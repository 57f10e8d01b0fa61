/** How long answers took, in milliseconds. */
export interface Latency {
  p50: number
  p95: number
  p99: number
  max: number
}

/** The latency of answers that took these times; all zero without any. */
export function latencyOf(durationsMs: number[]): Latency {
  const sorted = durationsMs.toSorted((a, b) => a - b)
  return {
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    max: round(sorted.at(-1) ?? 0, 1),
  }
}

/** The value that this share of sorted values does not exceed. */
export function percentile(sorted: number[], share: number): number {
  const index = Math.max(0, Math.ceil(sorted.length * share) - 1)
  return round(sorted[index] ?? 0, 1)
}

/** The middle of some values, or of the two in the middle. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  const middle = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1)
  return middle.length === 0 ? 0 : sum(middle) / middle.length
}

/** The middle, and how far values lie apart. */
export interface Spread {
  median: number
  min: number
  max: number
}

export function spreadOf(values: number[], digits = 2): Spread {
  return {
    median: round(median(values), digits),
    min: round(Math.min(...values), digits),
    max: round(Math.max(...values), digits),
  }
}

/** How much a value grows with each step of another, by least squares. */
export function slopeOf(points: [x: number, y: number][]): number {
  const meanX = sum(points.map(([x]) => x)) / points.length
  const meanY = sum(points.map(([, y]) => y)) / points.length
  const over = sum(points.map(([x, y]) => (x - meanX) * (y - meanY)))
  const under = sum(points.map(([x]) => (x - meanX) ** 2))
  return under === 0 ? 0 : over / under
}

export function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Rounded to some digits after the point. */
export function round(value: number, digits: number): number {
  const unit = 10 ** digits
  return Math.round(value * unit) / unit
}

/** Response times in milliseconds. */
export interface Latency {
  p50: number
  p95: number
  p99: number
  max: number
}

/** Percentiles of some durations; all zero without any. */
export function summarizeLatency(durationsMs: number[]): Latency {
  const sorted = durationsMs.toSorted((a, b) => a - b)
  return {
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    max: round(sorted.at(-1) ?? 0, 1),
  }
}

/** The smallest value that at least this share of the sorted values does not exceed. */
function percentile(sorted: number[], share: number): number {
  const index = Math.max(0, Math.ceil(sorted.length * share) - 1)
  return round(sorted[index] ?? 0, 1)
}

/** The middle value, or the mean of the two in the middle; zero without any. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  const middle = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1)
  return middle.length === 0 ? 0 : sum(middle) / middle.length
}

/** The median and the range of some values. */
export interface Spread {
  median: number
  min: number
  max: number
}

export function summarizeSpread(values: number[], digits = 2): Spread {
  return {
    median: round(median(values), digits),
    min: round(Math.min(...values), digits),
    max: round(Math.max(...values), digits),
  }
}

/** The geometric mean of some ratios, and the range in which it lies with a probability of 95 %. */
export interface RatioEstimate {
  mean: number
  low: number
  high: number
}

export function estimateRatio(ratios: number[], digits = 3): RatioEstimate {
  const logarithms = ratios.map(Math.log)
  const mean = sum(logarithms) / ratios.length
  const variance = sum(logarithms.map((one) => (one - mean) ** 2)) / (ratios.length - 1)
  const half = 1.96 * Math.sqrt(variance / ratios.length)
  return {
    mean: round(Math.exp(mean), digits),
    low: round(Math.exp(mean - half), digits),
    high: round(Math.exp(mean + half), digits),
  }
}

/** The slope of the least-squares line through some points; zero if it has none. */
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

/** Rounds to some digits after the decimal point. */
export function round(value: number, digits: number): number {
  const unit = 10 ** digits
  return Math.round(value * unit) / unit
}

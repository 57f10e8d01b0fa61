/**
 * Counts values by size, as a metric of the type histogram shows them. Counting builds no text and
 * no object, so that it costs next to nothing on the way of a payment.
 */
export class Buckets {
  /** The upper bounds, ascending. */
  readonly bounds: readonly number[]
  /** How many values are within each bound and above the one before; the last: above all. */
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = [...bounds.map(() => 0), 0]
  }

  count(value: number): void {
    let bucket = 0
    while (bucket < this.bounds.length && value > (this.bounds[bucket] ?? 0)) bucket += 1
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1
    this.sum += value
  }
}

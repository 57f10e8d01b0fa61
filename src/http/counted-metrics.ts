import type { MetricObjectWithValues, MetricValue, Registry } from '@prometheus-io/client'
import { Counter, Histogram } from '@prometheus-io/client'
import type { Buckets } from '../kit/buckets.ts'

interface Named {
  name: string
  help: string
  labelNames: string[]
  registry: Registry
}

type Labels = Record<string, string>

/** A counter whose values are counted elsewhere, and read for each rendering. */
export function addCounter(
  { name, help, labelNames, registry }: Named,
  read: () => Iterable<[names: string[], count: number]>,
): void {
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset()
      for (const [names, count] of read()) {
        const labels = labelNames.map((label, index) => [label, names[index] ?? ''])
        this.inc(Object.fromEntries(labels), count)
      }
    },
  })
}

/** A histogram whose buckets are counted elsewhere; `read` gives them with their labels. */
export function addHistogram(
  named: Named,
  read: () => Iterable<[labels: Labels, buckets: Buckets]>,
): void {
  named.registry.registerMetric(new CountedHistogram(named, read))
}

type Value = MetricValue<string> & { metricName: string }
type Read = () => Iterable<[Labels, Buckets]>

class CountedHistogram extends Histogram<string> {
  readonly #read: () => MetricObjectWithValues<Value>

  constructor({ name, help, labelNames }: Named, read: Read) {
    super({ name, help, labelNames, registers: [] })
    const fixed = { name, help, type: 'histogram', aggregator: 'sum', collect: () => {} } as const
    this.#read = () => ({
      ...fixed,
      values: [...read()].flatMap(([labels, buckets]) => valuesOf(name, labels, buckets)),
    })
  }

  override async get(): Promise<MetricObjectWithValues<Value>> {
    return this.#read()
  }

  /** What the registry calls in place of `get` to render text. */
  async getForPromString(): Promise<MetricObjectWithValues<Value>> {
    return this.#read()
  }
}

function valuesOf(name: string, labels: Labels, { bounds, counts, sum }: Buckets): Value[] {
  let total = 0
  const cumulative = counts.map((count, index): Value => {
    total += count
    const le = String(bounds[index] ?? '+Inf')
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total }
  })
  return [
    ...cumulative,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ]
}

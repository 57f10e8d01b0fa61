import { Gauge, type Registry } from '@prometheus-io/client'
import type { Clock } from '#base/kit/clock.ts'
import { secondsSince } from './gauges.ts'

type Count = (now: Date) => Promise<void>

/**
 * Shows how long ago the gauges were counted, by the count that is oldest: while the database is
 * away, or one count fails, its gauges keep their last values, which then say nothing. What it
 * returns is put around each count.
 */
export function figuresAge(clock: Clock, registry: Registry): (count: Count) => Count {
  const countedAt: Date[] = []
  new Gauge({
    name: 'passerelle_figures_age_seconds',
    help: 'How long ago a worker last counted in the database what its gauges show',
    registers: [registry],
    collect() {
      const now = clock.now()
      this.set(Math.max(0, ...countedAt.map((at) => secondsSince(at, now))))
    },
  })
  return (count) => {
    const place = countedAt.push(clock.now()) - 1
    return async (now) => {
      await count(now)
      countedAt[place] = clock.now()
    }
  }
}

import { Gauge, type Registry } from '@prometheus-io/client'

/** Shows a value; null: there is none, and no series of it. */
export type Show = (value: number | null) => void

/**
 * A gauge without labels of what is counted in the database. It is absent until it has a value:
 * a 0 that nobody has counted would be taken for good news.
 */
export function countedGauge(registry: Registry, name: string, help: string): Show {
  const gauge = new Gauge({
    name: `passerelle_${name}`,
    help,
    registers: [registry],
  })
  const show: Show = (value) => {
    if (value === null) gauge.remove()
    else gauge.set(value)
  }
  // The library begins with 0.
  show(null)
  return show
}

/** Seconds since a time, null without one. */
export function ageOf(time: Date | null | undefined, now: Date): number | null {
  return time ? secondsSince(time, now) : null
}

/** Seconds since a time, 0 without one. */
export function secondsSince(time: Date | null, now: Date): number {
  return time === null ? 0 : Math.max(0, now.getTime() - time.getTime()) / 1000
}

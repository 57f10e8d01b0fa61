import { Gauge, type Registry } from '@prometheus-io/client'
import type { Retention } from '#operations/retention/open.ts'
import { secondsSince } from './gauges.ts'

/** Gauges of what was forgotten, and of how long ago the last rounds ended. */
export function retentionFigures(parts: {
  domain: { retention: Retention }
  registry: Registry
}): (now: Date) => Promise<void> {
  const common = { labelNames: ['rule'], registers: [parts.registry] }
  const forgotten = new Gauge({
    name: 'passerelle_retention_forgotten',
    help: 'What each rule of retention has forgotten since the beginning',
    ...common,
  })
  const age = new Gauge({
    name: 'passerelle_retention_age_seconds',
    help: 'Time since the end of the last round of each rule that is on',
    ...common,
  })
  const left = new Gauge({
    name: 'passerelle_retention_left',
    help: 'Old records that are still needed',
    ...common,
  })
  return async (now) => {
    for (const { name: rule, days, state, left: count } of await parts.domain.retention.show()) {
      if (days === null || state === null) continue
      forgotten.set({ rule }, state.forgottenInAll)
      left.set({ rule }, count)
      age.set({ rule }, secondsSince(state.endedAt ?? state.beganAt, now))
    }
  }
}

import type { Registry } from '@prometheus-io/client'
import type { Db } from '#data/db/db.ts'
import { readArchiveState } from '#operations/drill/store.ts'
import { ageOf, countedGauge } from './gauges.ts'

/** Shows how old what is known of the archive is; nothing where the server has none. */
export function backupGauges(db: Db, registry: Registry): (now: Date) => Promise<void> {
  const gauge = (name: string, help: string) => countedGauge(registry, name, help)
  const log = gauge('archived_log_age_seconds', 'Age of the last WAL file in the archive')
  const backup = gauge('backup_age_seconds', 'Age of the backup that the last drill restored')
  const drill = gauge('drill_age_seconds', 'Age of the last drill')
  const problems = gauge('drill_problems', 'What the last drill found wrong; must be 0')
  return async (now) => {
    const state = await readArchiveState(db)
    log(ageOf(state.archivedAt, now))
    backup(ageOf(state.drill?.backupAt, now))
    drill(ageOf(state.drill?.endedAt, now))
    problems(state.drill?.problems.length ?? null)
  }
}

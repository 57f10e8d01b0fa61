import type { Registry } from '@prometheus-io/client'
import { readBackupState } from '../backup/state-store.ts'
import type { Db } from '../db/db.ts'
import { ageOf, countedGauge } from './gauges.ts'

/** Shows how old what is known of the archive is; nothing before the first backup. */
export function backupGauges(db: Db, registry: Registry): (now: Date) => Promise<void> {
  const gauge = (name: string, help: string) => countedGauge(registry, `backup_${name}`, help)
  const behind = gauge('archive_behind_seconds', 'Age of the newest change that is in the archive')
  const base = gauge('base_age_seconds', 'Age of the last base backup')
  const check = gauge('check_age_seconds', 'Age of the last check of the archive')
  const problems = gauge('check_problems', 'What the last check of the archive found; must be 0')
  return async (now) => {
    const state = await readBackupState(db)
    behind(ageOf(state?.archivedUntil, now))
    base(ageOf(state?.baseAt, now))
    check(ageOf(state?.checkedAt, now))
    problems(state?.checkProblems?.length ?? null)
  }
}

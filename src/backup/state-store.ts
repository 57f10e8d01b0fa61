import type { Db } from '../db/db.ts'
import { columns, json } from '../db/db.ts'

/** What is known of the archive, for people who must know that it can be relied on. */
export interface BackupState {
  folder: string
  /** How often base backups are made; null: by hand. */
  everyHours: number | null
  baseAt: Date | null
  baseBytes: number | null
  /** Up to when every change is in the archive; null: the log is not received. */
  archivedUntil: Date | null
  checkedAt: Date | null
  /** What the last check found wrong; empty: it held. */
  checkProblems: string[] | null
  /** Why the archive cannot go on at the moment. */
  problem: string | null
}

/** Undefined: there has never been a backup. */
export async function readBackupState(db: Db): Promise<BackupState | undefined> {
  const [row] = await db<BackupState>`
    select ${columns([
      'folder',
      'every_hours',
      'base_at',
      'base_bytes',
      'archived_until',
      'checked_at',
      'check_problems',
      'problem',
    ])} from backup_state`
  return row
}

/** Keeps that a base backup was made; one beside the archive that is kept changes nothing. */
export async function keepBase(
  db: Db,
  { folder, baseAt, baseBytes }: { folder: string; baseAt: Date; baseBytes: number },
): Promise<void> {
  await db`
    insert into backup_state as s (folder, base_at, base_bytes)
    values (${folder}, ${baseAt}, ${baseBytes})
    on conflict (id) do update set folder = excluded.folder, base_at = excluded.base_at,
      base_bytes = excluded.base_bytes
    where s.folder = excluded.folder or s.archived_until is null`
}

/** Keeps up to when the archive reaches. */
export async function keepArchived(
  db: Db,
  { folder, everyHours, until }: { folder: string; everyHours: number; until: Date },
): Promise<void> {
  await db`
    insert into backup_state as s (folder, every_hours, archived_until)
    values (${folder}, ${everyHours}, ${until})
    on conflict (id) do update set folder = excluded.folder, every_hours = excluded.every_hours,
      archived_until = excluded.archived_until, problem = null,
      base_at = case when s.folder = excluded.folder then s.base_at end,
      checked_at = case when s.folder = excluded.folder then s.checked_at end,
      check_problems = case when s.folder = excluded.folder then s.check_problems end`
}

/** Keeps why the archive cannot go on. */
export async function keepProblem(
  db: Db,
  { folder, everyHours, problem }: { folder: string; everyHours: number; problem: string },
): Promise<void> {
  await db`
    insert into backup_state (folder, every_hours, problem)
    values (${folder}, ${everyHours}, ${problem})
    on conflict (id) do update set problem = excluded.problem`
}

/** Keeps what a check found. */
export async function keepCheck(
  db: Db,
  { folder, checkedAt, problems }: { folder: string; checkedAt: Date; problems: string[] },
): Promise<void> {
  await db`
    insert into backup_state as s (folder, checked_at, check_problems)
    values (${folder}, ${checkedAt}, ${json(problems)})
    on conflict (id) do update set checked_at = excluded.checked_at,
      check_problems = excluded.check_problems
    where s.folder = excluded.folder`
}

/** Forgets the archive: nobody is told of it any more. */
export async function forgetBackup(db: Db): Promise<void> {
  await db`delete from backup_state`
}

import type { Db } from '../db/db.ts'

/** How often each of these subjects has failed in the window, by the subject in hexadecimal. */
export async function readFailures(
  db: Db,
  subjects: Buffer[],
  windowStart: Date,
): Promise<Map<string, number>> {
  const rows = await db<{ subject: Buffer; tries: number }>`
    select subject, tries from sign_in_tries
    where subject = any(${subjects}::bytea[]) and window_start = ${windowStart}`
  return new Map(rows.map(({ subject, tries }) => [subject.toString('hex'), tries]))
}

/** Counts one more failure for each subject. */
export async function addFailure(db: Db, subjects: Buffer[], windowStart: Date): Promise<void> {
  await db`
    insert into sign_in_tries (subject, window_start, tries)
    select subject, ${windowStart}, 1 from unnest(${subjects}::bytea[]) as s (subject)
    order by subject
    on conflict (subject, window_start) do update set tries = sign_in_tries.tries + 1`
}

export async function deleteOldTries(db: Db, before: Date): Promise<void> {
  await db`delete from sign_in_tries where window_start < ${before}`
}

import type { Db } from '../db/db.ts'
import { fragment } from '../db/db.ts'

const [more, fewer] = [fragment`+ 1`, fragment`- 1`]

/** Counts one more or one fewer try for each subject; their counts after it. */
export async function countTries(
  db: Db,
  tries: { subjects: Buffer[]; windowStart: Date; change: 'more' | 'fewer' },
): Promise<Map<string, number>> {
  const { subjects, windowStart } = tries
  const change = tries.change === 'more' ? more : fewer
  // In one order, so that two that count the same subjects do not wait for each other.
  const rows = await db<{ subject: Buffer; tries: number }>`
    insert into sign_in_tries (subject, window_start, tries)
    select subject, ${windowStart}, 0 ${change} from unnest(${subjects}::bytea[]) as s (subject)
    order by subject
    on conflict (subject, window_start) do update set tries = sign_in_tries.tries ${change}
    returning subject, tries`
  return new Map(rows.map(({ subject, tries }) => [subject.toString('hex'), tries]))
}

export async function deleteOldTries(db: Db, before: Date): Promise<void> {
  await db`delete from sign_in_tries where window_start < ${before}`
}

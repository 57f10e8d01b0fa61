import { type Db, fragment } from '#data/db/db.ts'

const [more, fewer] = [fragment`+ 1`, fragment`- 1`]

/** The tries of a subject in a window, and in the one before. */
interface Counted {
  tries: number
  before: number
}

/** Counts one more or one fewer try for each subject; their counts after it. */
export async function countTries(
  db: Db,
  tries: { subjects: Buffer[]; windowStart: Date; windowBefore: Date; change: 'more' | 'fewer' },
): Promise<Map<string, Counted>> {
  const { subjects, windowStart, windowBefore } = tries
  const change = tries.change === 'more' ? more : fewer
  // In one order, so that two that count the same subjects do not wait for each other.
  const rows = await db<Counted & { subject: Buffer }>`
    insert into sign_in_tries as t (subject, window_start, tries)
    select subject, ${windowStart}, 0 ${change} from unnest(${subjects}::bytea[]) as s (subject)
    order by subject
    on conflict (subject, window_start) do update set tries = t.tries ${change}
    returning subject, tries, coalesce((
      select p.tries from sign_in_tries p
      where p.subject = t.subject and p.window_start = ${windowBefore}), 0) as before`
  return new Map(rows.map((row) => [row.subject.toString('hex'), row]))
}

export async function deleteOldTries(db: Db, before: Date): Promise<void> {
  await db`delete from sign_in_tries where window_start < ${before}`
}

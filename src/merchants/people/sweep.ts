import { after } from '#base/kit/clock.ts'
import type { Db } from '#data/db/db.ts'
import { deleteOldCodes } from './codes/store.ts'
import { deleteOldChallenges } from './passkeys/store.ts'
import { sweepSessions } from './sessions/sessions.ts'
import { deleteOldTries } from './tries/store.ts'

// The longest window of tries is a day; of the one before, some count.
const triesMs = 2 * 86_400_000

/** Deletes what is over: sessions, tries, codes of mails, challenges of passkeys. */
export async function sweep(db: Db, now: Date): Promise<void> {
  await sweepSessions(db, now)
  await deleteOldTries(db, after(now, -triesMs))
  await deleteOldCodes(db, now)
  await deleteOldChallenges(db, now)
}

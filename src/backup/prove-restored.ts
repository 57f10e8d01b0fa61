import { openDb } from '../db/db.ts'
import { migrateUp, readMigrations } from '../db/migrate.ts'
import { applicationRole, migrationsFolder } from '../db/server.ts'
import type { Verdict } from '../verify/ledger.ts'
import { verifyAll } from '../verify/verify.ts'

/**
 * Runs every check of `verify` on a restored database. One of an older version is first brought up
 * to date, as the next start of the gateway would do.
 */
export async function proveRestored(
  url: string,
  progress: (done: number, total: number) => void = () => {},
): Promise<Verdict> {
  await migrateUp(url, await readMigrations(migrationsFolder))
  const db = openDb({ url, role: applicationRole, planMode: 'custom', name: 'passerelle restore' })
  try {
    return await verifyAll(db, [], progress)
  } finally {
    await db.close()
  }
}

import { eventually } from './wait.ts'

/** Waits until the archive has flushed everything that a server has written so far. */
export async function untilArchived(
  ask: (text: string) => Promise<Record<string, unknown>[]>,
): Promise<void> {
  const [at] = await ask('select pg_current_wal_lsn()::text as lsn')
  await eventually('the archive has it', async () => {
    const rows = await ask(
      `select from pg_stat_replication
       where application_name = 'passerelle-archive' and flush_lsn >= '${String(at?.lsn)}'`,
    )
    return rows.length === 1
  })
}

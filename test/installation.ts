import { after } from 'node:test'
import { startLab } from '../lab/server.ts'
import { testDatabase } from './database.ts'
import { dataFolder } from './program.ts'
import { eventually } from './wait.ts'

/** A database, a lab and a data folder, and the environment for gateways that share them. */
export async function testInstallation() {
  const { url: databaseUrl, db, connect } = await testDatabase()
  const owner = connect({ asOwner: true })
  const lab = await startLab({ port: 0, pace: 5 })
  after(() => lab.close())
  const environment = {
    DATA_DIR: await dataFolder(),
    DATABASE_URL: databaseUrl,
    LAB_PORT: new URL(lab.url).port,
  }

  /** How many transactions have not ended. */
  async function countOpen(): Promise<number> {
    const [row] = await db<{ open: number }>`
      select count(*) as open from transactions where completed_at is null`
    return row?.open ?? 0
  }

  /** Ends the leases of a gateway that was killed; only while none runs. */
  async function expireLeases(): Promise<void> {
    await owner`update transactions set due_at = now() where completed_at is null`
    await owner`update batches set due_at = now() where due_at is not null`
  }

  /** Waits until every transaction has ended, without the long back-offs. */
  async function untilAllEnded(): Promise<void> {
    let open: object[] = []
    await eventually(
      () => `the end of ${JSON.stringify(open)}`,
      async () => {
        // Later than a lease can end: it is a back-off, and no process works on the row.
        await owner`
          update transactions set due_at = now()
          where completed_at is null and due_at > now() + interval '20 seconds'`
        open = await db`
          select id, service_code, phone, status, attempt_state, polls, due_at - now() as due_in
          from transactions where completed_at is null limit 10`
        return open.length === 0
      },
    )
  }

  return { db, owner, lab, environment, countOpen, expireLeases, untilAllEnded }
}

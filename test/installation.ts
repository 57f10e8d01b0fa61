import { after } from 'node:test'
import { startLab } from '../lab/server.ts'
import { testDatabase } from './database.ts'
import { dataFolder } from './program.ts'

/** A database, a lab and a data folder, and the environment for gateways that share them. */
export async function testInstallation() {
  const { url: databaseUrl, db } = await testDatabase()
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

  return { db, lab, environment, countOpen }
}

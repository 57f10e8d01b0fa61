import { join } from 'node:path'
import type { EmbeddedPostgres } from '../src/postgres/embedded.ts'
import { startEmbeddedPostgres } from '../src/postgres/embedded.ts'
import { closeShared } from './at-end.ts'
import { makeTemplate } from './database.ts'

/** Starts a PostgreSQL of our own with a migrated database to clone, for all test files. */
export async function startTestPostgres(folder: string): Promise<EmbeddedPostgres> {
  const dataDir = join(folder, 'server')
  const server = await startEmbeddedPostgres({ dataDir, durable: false })
  process.env.TEST_DATABASE_URL = server.url
  await makeTemplate(server.url)
  await closeShared()
  return server
}

import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrateUp, readMigrations } from '#data/db/migrate.ts'
import { migrationsFolder } from '#data/db/server.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#data/postgres/embedded.ts'
import { makeTemplate } from './administer.ts'
import { copyFolder } from './copy-folder.ts'

// Autovacuum would look at hundreds of databases that live for seconds, and the statistics of
// statements are nobody's to read here.
const settings = `
autovacuum = off
pg_stat_statements.track = none
`

/**
 * Starts a PostgreSQL of our own with a migrated database to clone, for all test files. They find a
 * copy of its files, before it was started, in TEST_DATA_FOLDER.
 */
export async function startTestPostgres(folder: string): Promise<EmbeddedPostgres> {
  const prepared = join(folder, 'prepared')
  const first = await startEmbeddedPostgres({ dataDir: prepared, durable: false })
  await migrateUp(first.url, await readMigrations(migrationsFolder))
  await first.stop()
  const dataDir = join(folder, 'server')
  await copyFolder(prepared, dataDir)
  process.env.TEST_DATA_FOLDER = prepared
  await appendFile(join(dataDir, 'postgres/postgresql.auto.conf'), settings)
  const server = await startEmbeddedPostgres({ dataDir, durable: false })
  process.env.TEST_DATABASE_URL = server.url
  await makeTemplate(server.url)
  return server
}

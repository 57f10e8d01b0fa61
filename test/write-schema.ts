import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDb } from '../src/db/db.ts'
import { dumpSchema } from '../src/db/schema-dump.ts'
import { inDatabase, template } from './database.ts'
import { startTestPostgres } from './setup.ts'

// npm run schema: applies the migrations to a new database and writes its schema to schema.sql.
const folder = await mkdtemp(join(tmpdir(), 'passerelle-schema-'))
const server = await startTestPostgres(folder)
const db = openDb({ url: inDatabase(server.url, template), name: 'schema' })
await writeFile(new URL('../schema.sql', import.meta.url), await dumpSchema(db))
await db.close()
await server.stop()
await rm(folder, { recursive: true, force: true })

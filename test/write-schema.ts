import { writeFile } from 'node:fs/promises'
import { openDb } from '../src/db/db.ts'
import { dumpSchema } from '../src/db/schema-dump.ts'
import { inDatabase, template } from './database.ts'
import { globalSetup, globalTeardown } from './setup.ts'

// npm run schema: writes schema.sql from the migrations, as a fresh database has it.
await globalSetup()
const db = openDb({
  url: inDatabase(process.env.TEST_DATABASE_URL ?? '', template),
  name: 'schema',
})
await writeFile(new URL('../schema.sql', import.meta.url), await dumpSchema(db))
await db.close()
await globalTeardown()

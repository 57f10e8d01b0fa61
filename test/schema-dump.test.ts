import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it } from 'node:test'
import { testDatabase } from '#test/database.ts'
import { dumpSchema } from './schema-dump.ts'

const { db, connect } = await testDatabase()
const schemaFile = new URL('../schema.sql', import.meta.url)

it('schema.sql equals what the migrations create (else: npm run write schema)', async () => {
  assert.equal(await dumpSchema(db), await readFile(schemaFile, 'utf8'))
})

it('the dump shows a changed column, index, privilege or log of changes', async () => {
  const owner = connect({ asOwner: true })
  const before = await dumpSchema(db)
  await owner`alter table maintenance add column planned_end timestamptz`
  await owner`create index planned on maintenance (planned_end)`
  await owner`alter table maintenance set unlogged`
  await owner`revoke delete on maintenance from passerelle_app`
  const added = (await dumpSchema(db)).split('\n').filter((line) => !before.includes(line))
  assert.deepEqual(
    added.map((line) => line.trim()),
    [
      'create unlogged table maintenance (',
      'notice text,',
      'planned_end timestamp with time zone',
      'CREATE INDEX planned ON public.maintenance USING btree (planned_end);',
      'grant insert, select, update on maintenance to passerelle_app;',
    ],
  )
})

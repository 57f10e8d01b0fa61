import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readMigrations } from '#data/db/migrate.ts'
import { migrationsFolder } from '#data/db/server.ts'
import { emptyDatabase } from '#test/database.ts'
import { assertRefused, commandLine, dataFolder } from '#test/program.ts'

const environment = { DATABASE_URL: await emptyDatabase(), DATA_DIR: await dataFolder() }
const passerelle = commandLine(environment)
const names = (await readMigrations(migrationsFolder)).map(({ name }) => name)

// One database, from empty to the whole schema. The tests build on each other, in this order.
describe('passerelle migrate', () => {
  it('status lists the pending migrations', async () => {
    const text = await passerelle.text('migrate status')
    for (const name of names) assert.match(text, new RegExp(`^${name} +pending$`, 'm'))
    const status = await passerelle.json('migrate status')
    assert.deepEqual(status, { applied: [], pending: names })
  })

  it('plan shows the statements without running them', async () => {
    const text = await passerelle.text('migrate plan')
    assert.match(text, /^-- 0001_\w+\.sql\n/)
    assert.match(text, /\ncreate table clients \(/)
    const { pending } = await passerelle.json('migrate plan')
    assert.deepEqual(
      pending.map((one: { name: string }) => one.name),
      names,
    )
  })

  it('is required before other commands, which say so', async () => {
    const sentence = /^passerelle: The database is not up to date: run `passerelle migrate up`/
    assertRefused(await passerelle.run('client create A'), sentence)
    assertRefused(await passerelle.run('verify'), sentence)
  })

  it('up applies each migration once, also when two run at the same time', async () => {
    const both = await Promise.all([passerelle.json('migrate up'), passerelle.json('migrate up')])
    assert.deepEqual(
      both.flatMap(({ applied }) => applied),
      names,
    )
    assert.equal(await passerelle.text('migrate up'), 'The schema was up to date.\n')
  })

  it('status and plan show that nothing is pending afterwards', async () => {
    const text = await passerelle.text('migrate status')
    for (const name of names) assert.match(text, new RegExp(`^${name} +applied \\d{4}-`, 'm'))
    assert.equal(await passerelle.text('migrate plan'), '-- Nothing to do.\n')
    await passerelle.text('client create A')
  })
})

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { testServer } from '../../test/postgres-pair.ts'
import { commandLine, dataFolder } from '../../test/program.ts'
import { eventually } from '../../test/wait.ts'
import { slotName } from '../backup/source-store.ts'

it('passerelle doctor tells of a log that is gone before the archive had it', async () => {
  const { start, sql, url } = await testServer()
  await start()
  const folder = await dataFolder()
  const environment = { DATABASE_URL: url, DATA_DIR: folder, BACKUP_DIR: join(folder, 'archive') }
  const passerelle = commandLine({ ...environment, PORT: '0' }, 'shared')
  await sql(`select pg_create_physical_replication_slot('${slotName}', true)`)
  assert.doesNotMatch(await passerelle.text('doctor'), /has removed/)
  await sql("alter system set max_slot_wal_keep_size = '16MB'")
  await sql('select pg_reload_conf()')
  await eventually('the server has removed it', async () => {
    await sql("select pg_logical_emit_message(true, 'test', 'something')")
    await sql('select pg_switch_wal()')
    await sql('checkpoint')
    const { rows } = await sql('select wal_status as state from pg_replication_slots')
    return rows[0]?.state === 'lost'
  })
  const { code, stdout } = await passerelle.run('doctor')
  assert.equal(code, 1)
  assert.match(stdout, /^PROBLEM {2}the server has removed a part of its log before the archive/m)
})

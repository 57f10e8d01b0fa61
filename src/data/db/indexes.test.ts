import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testDatabase } from '#test/database.ts'

const { db } = await testDatabase()

// The columns that stand before those of the key have few values: a search by the key alone looks
// into the index once for each of them.
const fewValuesBefore = [
  'approvals_client_id_id_idx',
  'approvals_state_id_idx',
  'audit_log_client_id_id_idx',
  'batch_lines_client_id_batch_id_state_line_idx',
  'events_client_id_key_id_position_idx',
  'recon_cases_state_id_idx',
]

it('no index that has the columns of a unique one behind others is taken for it', async () => {
  // On a small table both cost the same, and a statement keeps its plan while the table grows.
  const rows = await db<{ name: string }>`
    with indexes as (
      select indexrelid as id, indrelid as relation, indisunique as is_unique,
        array(select unnest(indkey[0:indnkeyatts - 1])) as columns
      from pg_index
      where indpred is null and indrelid in (
        select oid from pg_class where relnamespace = current_schema()::regnamespace)
    )
    select distinct other.id::regclass::text as name
    from indexes key
    join indexes other on other.relation = key.relation and other.id <> key.id
    where key.is_unique and key.columns <@ other.columns
      and other.columns[1:cardinality(key.columns)] <> key.columns
    order by name`
  assert.deepEqual(
    rows.map(({ name }) => name),
    fewValuesBefore,
  )
})

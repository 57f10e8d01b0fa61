import type { Db, Tx } from '../db/db.ts'
import type { MovedTable } from './tables.ts'
import { movedTables } from './tables.ts'

/** A table that moves, with what the database says of it. */
export interface TableShape extends MovedTable {
  client: string
  columns: string[]
  types: Record<string, string>
  key: string[]
  /** The columns that the application's role may change. */
  changeable: string[]
  isDeletable: boolean
}

/** The columns and keys of every table that moves, in the order of copying. */
export async function readShapes(run: Db | Tx): Promise<Map<string, TableShape>> {
  const rows = await run<{
    name: string
    columns: string[]
    types: Record<string, string>
    key: string[]
    changeable: string[]
    isDeletable: boolean
  }>`
    select c.relname as name,
      array_agg(a.attname::text order by a.attname) as columns,
      jsonb_object_agg(a.attname, format_type(a.atttypid, a.atttypmod)) as types,
      (select array_agg(k.attname::text order by array_position(i.indkey::int2[], k.attnum))
        from pg_index i
        join pg_attribute k on k.attrelid = c.oid and k.attnum = any(i.indkey::int2[])
        where i.indrelid = c.oid and i.indisprimary) as key,
      coalesce(array_agg(a.attname::text) filter (
        where has_column_privilege(c.oid, a.attnum, 'UPDATE')), '{}') as changeable,
      has_table_privilege(c.oid, 'DELETE') as "isDeletable"
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relname = any(${movedTables.map(({ name }) => name)}::text[])
      and c.relnamespace = current_schema()::regnamespace
    group by c.oid, c.relname`
  const found = new Map(rows.map((row) => [row.name, row]))
  return new Map(
    movedTables.map((table): [string, TableShape] => {
      const shape = found.get(table.name)
      if (shape === undefined) throw new Error(`no table ${table.name}`)
      return [table.name, { ...table, ...shape, client: table.clientColumn ?? 'client_id' }]
    }),
  )
}

/** The names of all tables that have a column `client_id`. */
export async function readClientTables(run: Db | Tx): Promise<string[]> {
  const rows = await run<{ name: string }>`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'client_id' and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace = current_schema()::regnamespace
    order by 1`
  return rows.map(({ name }) => name)
}

/** The migrations that a database has, as one text: both cells must have the same. */
export async function readSchemaVersion(run: Db | Tx): Promise<string> {
  const [row] = await run<{ version: string }>`
    select coalesce(max(version), 0) || ' ' || md5(string_agg(checksum, ' ' order by version))
      as version
    from schema_migrations`
  return row?.version ?? ''
}

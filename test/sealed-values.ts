import { type Db, identifier } from '#data/db/db.ts'

// Bytes in clear. A new column of bytes is taken for a sealed one until it is named here.
const plain = /^(bytes|content|digest|fingerprint|hash|head|public_key|subject)$/

/** What is sealed in a database, by its mark or its type, for each column that has some. */
export async function sealedValues(db: Db): Promise<Map<string, Set<string>>> {
  const columns = await db<{ table: string; column: string; type: string }>`
    select table_name as table, column_name as column, data_type as type
    from information_schema.columns join information_schema.tables
      using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and data_type in ('text', 'bytea', 'json', 'jsonb')`
  const found = new Map<string, Set<string>>()
  for (const { table, column, type } of columns) {
    if (type === 'bytea' && plain.test(column)) continue
    const values = await db<{ value: string }>`
      select ${identifier(column)}::text as value from ${identifier(table)}
      where ${identifier(column)}::text like ${type === 'bytea' ? '%' : '%sealed:%'}`
    if (values.length > 0)
      found.set(`${table}.${column}`, new Set(values.map(({ value }) => value)))
  }
  return found
}

import type { Db } from '#data/db/db.ts'

/**
 * The schema as text, the same on every supported PostgreSQL: tables, constraints, indexes,
 * functions, triggers and privileges. It is kept in the repository as schema.sql, so that a review
 * shows what a migration does.
 */
export async function dumpSchema(db: Db): Promise<string> {
  const parts = await Promise.all([
    dumpTables(db),
    dumpConstraints(db),
    dumpIndexes(db),
    dumpFunctions(db),
    dumpTriggers(db),
    dumpPrivileges(db),
  ])
  return `${['-- Written by `npm run write schema`; do not edit.', ...parts.flat()].join('\n\n')}\n`
}

interface Definition {
  definition: string
}

async function dumpTables(db: Db): Promise<string[]> {
  const columns = await db<{ table: string; column: string }>`
    select
      concat(case c.relpersistence when 'u' then 'unlogged ' end, 'table ', c.relname) as table,
      concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then 'not null' end,
        case when a.attidentity <> '' then 'generated as identity' end,
        'default ' || pg_get_expr(d.adbin, d.adrelid)) as column
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition
    order by c.relname, a.attnum`
  const tables = Map.groupBy(columns, (row) => row.table)
  const partitions = await db<Definition>`
    select format('create table %s partition of %s %s;', c.relname, i.inhparent::regclass,
      pg_get_expr(c.relpartbound, c.oid)) as definition
    from pg_class c join pg_inherits i on i.inhrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relispartition and c.relkind = 'r'
    order by c.relname`
  const whole = [...tables].map(
    ([table, rows]) => `create ${table} (\n${rows.map((row) => `  ${row.column}`).join(',\n')}\n);`,
  )
  return [...whole, ...joinDefinitions(partitions)]
}

async function dumpConstraints(db: Db): Promise<string[]> {
  // Newer servers also list "not null" ('n'), which the tables above show already.
  const rows = await db<Definition>`
    select format('alter table %s add constraint %I %s;', c.relname, k.conname,
      pg_get_constraintdef(k.oid)) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.connamespace = 'public'::regnamespace and k.contype in ('c', 'f', 'p', 'u', 'x')
    order by c.relname, k.contype, k.conname`
  return joinDefinitions(rows)
}

async function dumpIndexes(db: Db): Promise<string[]> {
  const rows = await db<Definition>`
    select indexdef || ';' as definition from pg_indexes
    where schemaname = 'public'
      and not (select relispartition from pg_class where oid = indexname::regclass)
      and indexname not in (select conname from pg_constraint where contype in ('p', 'u', 'x'))
    order by tablename, indexname`
  return joinDefinitions(rows)
}

async function dumpFunctions(db: Db): Promise<string[]> {
  const rows = await db<Definition>`
    select trim(pg_get_functiondef(p.oid)) || ';' as definition from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
    order by p.proname`
  return rows.map((row) => row.definition)
}

async function dumpTriggers(db: Db): Promise<string[]> {
  const rows = await db<Definition>`
    select pg_get_triggerdef(t.oid) || ';' as definition
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal
    order by c.relname, t.tgname`
  return joinDefinitions(rows)
}

async function dumpPrivileges(db: Db): Promise<string[]> {
  const rows = await db<Definition>`
    select format('grant %s on %s to %s;',
      string_agg(lower(privilege_type), ', ' order by privilege_type), table_name, grantee)
      as definition
    from (
      -- The views of information_schema take seconds for what these take milliseconds for.
      select c.relname as table_name, pg_get_userbyid(a.grantee)::text as grantee, a.privilege_type
      from pg_class c cross join lateral aclexplode(c.relacl) a
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
      union all
      select c.relname, pg_get_userbyid(a.grantee)::text,
        format('%s (%s)', a.privilege_type, string_agg(t.attname, ', ' order by t.attname))
      from pg_class c
      join pg_attribute t on t.attrelid = c.oid
      cross join lateral aclexplode(t.attacl) a
      where c.relnamespace = 'public'::regnamespace
      group by c.relname, a.grantee, a.privilege_type
    ) granted
    where grantee = 'passerelle_app'
    group by table_name, grantee
    order by table_name`
  return joinDefinitions(rows)
}

function joinDefinitions(rows: Definition[]): string[] {
  return rows.length === 0 ? [] : [rows.map((row) => row.definition).join('\n')]
}

import type { Db, Tx } from '../db/db.ts'
import type { TableShape } from './shape-store.ts'

/** Rows of a table as JSON texts: PostgreSQL wrote them and reads them, so that nothing is lost. */
export interface RowPage {
  rows: string[]
  /** The key of the last row, as JSON; null: there is none. */
  last: string | null
}

/** How many rows a client has in a table, and the sum of their hashes. */
export interface Digest {
  rows: string
  hash: string
}

class Value {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** Runs a statement put together from our own SQL and values. */
function ask<Row extends object>(run: Db | Tx, ...pieces: (string | Value)[]): Promise<Row[]> {
  const texts = ['']
  const values: unknown[] = []
  for (const piece of pieces)
    if (piece instanceof Value) {
      values.push(piece.value)
      texts.push('')
    } else texts[texts.length - 1] += piece
  return run<Row>(texts as unknown as TemplateStringsArray, ...values)
}

const list = (names: string[], write = (name: string) => name) => names.map(write).join(', ')

/** The columns that say where a row stands among those of its client. */
function placeOf({ key, client }: TableShape): string[] {
  const rest = key.filter((name) => name !== client)
  return rest.length === 0 ? key : rest
}

/** The next rows of a client after a key, in the order of keys. */
export async function readPage(
  run: Db | Tx,
  shape: TableShape,
  { clientId, after, limit }: { clientId: number; after: string | null; limit: number },
): Promise<RowPage> {
  const place = placeOf(shape)
  const lower =
    after === null
      ? []
      : [
          ` and (${list(place, (name) => `t.${name}`)}) > (`,
          ...place.flatMap((name, index) => [
            index === 0 ? '(' : ', (',
            new Value(after),
            `::jsonb ->> '${name}')::${shape.types[name]}`,
          ]),
          ')',
        ]
  const found = await ask<{ row: string; key: string }>(
    run,
    `select to_jsonb(t)::text as row, jsonb_build_object(
       ${list(place, (name) => `'${name}', t.${name}`)})::text as key
     from ${shape.name} t where t.${shape.client} = `,
    new Value(clientId),
    ...lower,
    ` order by ${list(place, (name) => `t.${name}`)} limit `,
    new Value(limit),
  )
  return { rows: found.map(({ row }) => row), last: found.at(-1)?.key ?? null }
}

/** The rows that still exist of these keys, given as a JSON list. */
export async function readRows(run: Db | Tx, shape: TableShape, keys: string): Promise<string[]> {
  const found = await ask<{ row: string }>(
    run,
    `select to_jsonb(t)::text as row from (select distinct ${list(shape.key)}
       from jsonb_populate_recordset(null::${shape.name}, `,
    new Value(keys),
    `::jsonb)) k join ${shape.name} t using (${list(shape.key)})
     order by ${list(shape.key, (name) => `t.${name}`)}`,
  )
  return found.map(({ row }) => row)
}

/** Writes rows, given as a JSON list; those that are there already become equal. */
export async function writeRows(tx: Tx, shape: TableShape, rows: string): Promise<void> {
  const columns = shape.columns.filter((name) => !shape.own?.includes(name))
  const changed = columns.filter(
    (name) => shape.changeable.includes(name) && !shape.key.includes(name),
  )
  const onConflict =
    changed.length === 0
      ? 'do nothing'
      : `do update set ${list(changed, (name) => `${name} = excluded.${name}`)}
         where (${list(changed, (name) => `t.${name}`)})
           is distinct from (${list(changed, (name) => `excluded.${name}`)})`
  await ask(
    tx,
    `insert into ${shape.name} as t (${list(columns)}) overriding system value
     select ${list(columns)} from jsonb_populate_recordset(null::${shape.name}, `,
    new Value(rows),
    `::jsonb) on conflict (${list(shape.key)}) ${onConflict}`,
  )
}

/** Deletes the rows of these keys, given as a JSON list. */
export async function deleteRows(tx: Tx, shape: TableShape, keys: string): Promise<void> {
  const { key, name } = shape
  await ask(
    tx,
    `delete from ${name} t using jsonb_populate_recordset(null::${name}, `,
    new Value(keys),
    `::jsonb) k where (${list(key, (one) => `t.${one}`)}) = (${list(key, (one) => `k.${one}`)})`,
  )
}

/** Deletes all rows that a client has in a table. */
export async function deleteAll(run: Db | Tx, shape: TableShape, clientId: number): Promise<void> {
  await ask(run, `delete from ${shape.name} where ${shape.client} = `, new Value(clientId))
}

/**
 * What a client has in a table, of all rows or of some, given as a JSON list of keys. Sealed values
 * differ from cell to cell; that they are sealed does not.
 */
export async function digestRows(
  run: Db | Tx,
  shape: TableShape,
  { clientId, keys = null }: { clientId: number; keys?: string | null },
): Promise<Digest> {
  const compared = shape.columns.filter((name) => !shape.own?.includes(name))
  const row = list(compared, (name) => comparedColumn(shape, name))
  const only =
    keys === null
      ? []
      : [
          ` and (${list(shape.key, (name) => `t.${name}`)}) in (select ${list(shape.key)}
            from jsonb_populate_recordset(null::${shape.name}, `,
          new Value(keys),
          '::jsonb))',
        ]
  const [digest] = await ask<Digest>(
    run,
    `select count(*)::text as rows,
       coalesce(sum(('x' || substr(md5(row(${row})::text), 1, 15))::bit(60)::bigint), 0)::text
         as hash
     from ${shape.name} t where t.${shape.client} = `,
    new Value(clientId),
    ...only,
  )
  if (digest === undefined) throw new Error('no digest')
  return digest
}

/** The same of millions of rows, which may take more than the usual minute. */
export function digestAtLength(
  db: Db,
  shape: TableShape,
  of: { clientId: number; keys: string | null },
): Promise<Digest> {
  return db.transaction(async (tx) => {
    await tx`select set_config('statement_timeout', '0', true)`
    return digestRows(tx, shape, of)
  })
}

function comparedColumn({ sealed, types }: TableShape, name: string): string {
  if (sealed?.column !== name) return `t.${name}`
  if (types[name] !== 'text') return `t.${name} is null`
  return `case when starts_with(t.${name}, 'sealed:') then 'sealed' else t.${name} end`
}

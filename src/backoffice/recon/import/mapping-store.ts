import { columns, type Db, json, type Tx } from '#data/db/db.ts'
import type { StoredMapping } from './mapping.ts'
import type { Party } from './statement.ts'

const mappingColumns = columns([
  'provider',
  'country',
  'content',
  'fees',
  'changed_by',
  'changed_at',
])

export async function findMapping(
  run: Db | Tx,
  { provider, country }: Party,
): Promise<StoredMapping | undefined> {
  const [found] = await run<StoredMapping>`
    select ${mappingColumns} from statement_mappings
    where (provider, country) = (${provider}, ${country})`
  return found
}

export function listMappings(db: Db): Promise<StoredMapping[]> {
  return db<StoredMapping>`
    select ${mappingColumns} from statement_mappings order by provider, country`
}

export async function writeMapping(tx: Tx, one: StoredMapping): Promise<void> {
  const { content, fees } = one
  await tx`
    insert into statement_mappings (provider, country, content, fees, changed_by, changed_at)
    values (${one.provider}, ${one.country}, ${content === null ? null : json(content)}::jsonb,
      ${fees === null ? null : json(fees)}::jsonb, ${one.changedBy}, ${one.changedAt})
    on conflict (provider, country) do update
    set content = excluded.content, fees = excluded.fees, changed_by = excluded.changed_by,
      changed_at = excluded.changed_at`
}

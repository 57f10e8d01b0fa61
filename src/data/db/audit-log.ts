import { withoutNumbers } from '#base/sealing/mask-phone.ts'
import { auditDigest } from './audit-chain.ts'
import { currentOrigin } from './audit-origin.ts'
import { type Db, fragment, json, type Tx } from './db.ts'

export interface AuditRecord {
  at: Date
  /** An operator's login, or the account of the terminal where the command was typed. */
  actor: string
  action: string
  clientId?: number | null
  details?: Record<string, unknown>
}

// What nobody types freely: ids, people, hashes, and what is masked where it is recorded.
const asGiven = /^(id|\w+Id|email|person|proposedBy|number|pseudonym|\w*[hH]ash|fields)$/

/** All that is told of a change, without what can be a payer's number in any text of it. */
function masked(value: unknown, name = ''): unknown {
  if (asGiven.test(name)) return value
  if (typeof value === 'string') return withoutNumbers(value)
  if (Array.isArray(value)) return value.map((one) => masked(one, name))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one, key)]))
}

/**
 * Records what a person did, and from where, in the same transaction as the change itself. The only
 * writer of the audit log, which is kept for ever: numbers that people write into reasons,
 * references and names of files are masked. A worker appends the record to the chain
 * (docs/decisions/0061).
 */
export async function recordAudit(tx: Tx, record: AuditRecord): Promise<void> {
  const { details = {} } = record
  const { address, form } = currentOrigin()
  const kept = { ...(masked(details) as object), ...(form === undefined ? {} : { form }) }
  await tx`
    with entry as (
      insert into audit_log (at, actor, address, action, client_id, details, digest)
      select at, actor, address, action, client_id, details, ${auditDigest}
      from (values (${record.at}::timestamptz, ${record.actor}::text, ${address}::text,
        ${record.action}::text, ${record.clientId ?? null}::integer,
        ${json(kept)}::jsonb))
        as given (at, actor, address, action, client_id, details)
      returning id
    )
    insert into audit_queue (entry_id) select id from entry`
}

export interface AuditRow extends Required<Omit<AuditRecord, 'clientId'>> {
  id: number
  clientId: number | null
  /** Where it was done: an address, or the machine of a command; null: by the gateway itself. */
  address: string | null
  /** Its place in the chain, and the hash there; null: it waits for a moment. */
  number: number | null
  hash: string | null
}

export interface AuditFilter {
  /** The records of one client; null: of all, and those about none. */
  clientId: number | null
  before?: number | null
  limit: number
  /** A person or program, in any case; null: all. */
  actor?: string | null
  /** Whoever is none of these, in lower case; null: all. */
  otherThan?: string[] | null
  /** The first word of actions, such as team; null: all. */
  group?: string | null
  from?: Date | null
  until?: Date | null
}

/** Records, newest first. */
export function readAudit(db: Db, filter: AuditFilter): Promise<AuditRow[]> {
  const { clientId, limit } = filter
  const { before = null, actor = null, group = null, from = null, until = null } = filter
  const { otherThan = null } = filter
  // Two texts of the statement, so that the one for a client uses the index of clients.
  const whose = clientId === null ? fragment`0 <=` : fragment`client_id =`
  return db<AuditRow>`
    select id, at, actor, address, action, client_id as "clientId", details,
      c.number, encode(c.hash, 'hex') as hash
    from audit_log
    left join audit_chain c on c.entry_id = id
    where ${whose} ${clientId ?? 0}::integer and id < coalesce(${before}, 9223372036854775807)
      and (${actor}::text is null or lower(actor) = lower(${actor}))
      and (${otherThan}::text[] is null or lower(actor) <> all(${otherThan}::text[]))
      and (${group}::text is null or split_part(action, '.', 1) = ${group})
      and (${from}::timestamptz is null or at >= ${from})
      and (${until}::timestamptz is null or at < ${until})
    order by id desc
    limit ${limit}`
}

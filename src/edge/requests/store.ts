import { columns, type Db, fragment, identifier } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'

/** A request with a valid key, as it is kept. */
export interface KeptRequest {
  clientId: number
  requestId: string
  at: Date
  keyId: string
  method: string
  path: string
  status: number
  durationMs: number
  /** What was wrong; null: it succeeded. */
  code: string | null
  /** A sentence on each line. */
  messages: string | null
}

const requestRows = rowsOf({
  slot: 'smallint',
  clientId: 'integer',
  requestId: 'text',
  at: 'timestamptz',
  keyId: 'uuid',
  method: 'text',
  path: 'text',
  status: 'smallint',
  durationMs: 'integer',
  code: 'text',
  messages: 'text',
})

const slots = 'abcdefghijkl'
const slotMs = 3 * 86_400_000

function periodOf(time: Date): number {
  return Math.floor(time.getTime() / slotMs)
}

export async function insertRequests(db: Db, requests: KeptRequest[]): Promise<void> {
  const rows = requests.map((one) => ({ ...one, slot: periodOf(one.at) % slots.length }))
  await db`
    insert into api_requests (slot, client_id, request_id, at, key_id, method, path, status,
      duration_ms, code, messages)
    select slot, "clientId", "requestId", at, "keyId", method, path, status, "durationMs", code,
      messages
    from ${requestRows(rows)} as r`
}

/**
 * Empties the partition that is used next, whose requests are at least 33 days old. Returns false
 * when it was empty.
 */
export async function emptyNextSlot(db: Db, now: Date): Promise<boolean> {
  const next = identifier(`api_requests_${slots[(periodOf(now) + 1) % slots.length]}`)
  const rows = await db`select 1 from ${next} limit 1`
  if (rows.length === 0) return false
  await db`truncate ${next}`
  return true
}

const shown = columns([
  'client_id',
  'request_id',
  'at',
  'key_id',
  'method',
  'path',
  'status',
  'duration_ms',
  'code',
  'messages',
])
const anyStatus = { min: 0, max: 999 }
const which = { all: fragment`true`, failed: fragment`status >= 400` }

/**
 * A client's requests between two ids (neither included), newest first: all or those refused, and
 * of these those with a status in a range, or a text in their path.
 */
export function readRequests(
  db: Db,
  list: {
    clientId: number
    group: keyof typeof which
    after: string
    before: string
    limit: number
    statuses?: { min: number; max: number }
    path?: string
  },
): Promise<KeptRequest[]> {
  const { statuses: { min, max } = anyStatus, path = '' } = list
  return db<KeptRequest>`
    select ${shown} from api_requests
    where client_id = ${list.clientId} and ${which[list.group]}
      and status between ${min} and ${max} and strpos(path, ${path}) > 0
      and request_id > ${list.after} and request_id < ${list.before}
    order by request_id desc
    limit ${list.limit}`
}

/** The request with this id, of a client, unless it is older than the id `after`. */
export async function findRequest(
  db: Db,
  { clientId, id, after }: { clientId: number; id: string; after: string },
): Promise<KeptRequest | undefined> {
  const [found] = await db<KeptRequest>`
    select ${shown} from api_requests
    where client_id = ${clientId} and request_id = ${id} and request_id > ${after}`
  return found
}

import type { Db, Tx } from '../db/db.ts'
import { columns } from '../db/db.ts'
import type { Export, ExportId, ExportOrder, ExportProblem, Progress } from './export.ts'

const exportColumns = columns([
  'client_id',
  'id',
  'person_id',
  'asked_by',
  'role',
  'kind',
  'form',
  'query',
  'language',
  'time_zone',
  'state',
  'attempt',
  'rows',
  'share',
  'reached_at',
  'bytes',
  'problem',
  'version',
  'created_at',
  'completed_at',
  'expires_at',
])

// The key of the locks under which a client's exports are counted; any constant would do.
const countLock = 7_270_003

/** Until the end of the transaction nobody else adds an export of this client. */
export async function lockExports(tx: Tx, clientId: number): Promise<void> {
  await tx`select pg_advisory_xact_lock(${countLock}::integer, ${clientId}::integer)`
}

/** How many of a client's exports are waiting or under way. */
export async function countUnderWay(tx: Tx, clientId: number): Promise<number> {
  const [row] = await tx<{ count: number }>`
    select count(*) from exports
    where client_id = ${clientId} and state in ('waiting', 'running')`
  return row?.count ?? 0
}

export async function insertExport(
  tx: Tx,
  order: ExportOrder & { id: string; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await tx`
    insert into exports (client_id, id, person_id, asked_by, role, kind, form, query, language,
      time_zone, state, created_at, expires_at, due_at)
    values (${order.clientId}, ${order.id}, ${order.personId}, ${order.askedBy}, ${order.role},
      ${order.kind}, ${order.form}, ${order.query}, ${order.language}, ${order.timeZone},
      'waiting', ${order.createdAt}, ${order.expiresAt}, ${order.createdAt})`
}

/** Lets the oldest exports of a client that have ended be removed, so that few are kept. */
export async function expireOldest(
  tx: Tx,
  clientId: number,
  { keep, now }: { keep: number; now: Date },
): Promise<void> {
  await tx`
    update exports set expires_at = ${now}, due_at = ${now}
    where client_id = ${clientId} and id in (
      select id from exports
      where client_id = ${clientId} and completed_at is not null and expires_at > ${now}
      order by id desc
      offset ${keep})`
}

export async function findExport(
  run: Db | Tx,
  { clientId, id }: ExportId,
): Promise<Export | undefined> {
  const [found] = await run<Export>`
    select ${exportColumns} from exports where client_id = ${clientId} and id = ${id}`
  return found
}

/** A client's exports whose files are not removed, newest first. */
export function listExports(db: Db, clientId: number, now: Date): Promise<Export[]> {
  return db<Export>`
    select ${exportColumns} from exports
    where client_id = ${clientId} and expires_at > ${now}
    order by id desc
    limit 100`
}

/** Begins to make a file anew: from now on no earlier attempt writes. Undefined: it has ended. */
export async function beginAttempt(
  db: Db,
  { clientId, id }: ExportId,
): Promise<Export | undefined> {
  const [begun] = await db<Export>`
    update exports
    set state = 'running', attempt = attempt + 1, rows = 0, share = 0, reached_at = null,
      bytes = 0, version = version + 1
    where client_id = ${clientId} and id = ${id} and state in ('waiting', 'running')
    returning ${exportColumns}`
  return begun
}

type Attempt = Pick<Export, 'clientId' | 'id' | 'attempt'>

/** Records how far an attempt is and prolongs its lease; false: it is no longer the one. */
export async function updateProgress(
  run: Db | Tx,
  { clientId, id, attempt }: Attempt,
  { rows, share, reachedAt, bytes, dueAt }: Progress & { bytes: number; dueAt: Date },
): Promise<boolean> {
  const updated = await run`
    update exports
    set rows = ${rows}, share = ${share}, reached_at = ${reachedAt}, bytes = ${bytes},
      due_at = ${dueAt}, version = version + 1
    where client_id = ${clientId} and id = ${id} and attempt = ${attempt} and state = 'running'
    returning id`
  return updated.length === 1
}

export async function insertChunk(
  tx: Tx,
  { clientId, id, attempt }: Attempt,
  number: number,
  content: Buffer,
): Promise<void> {
  await tx`
    insert into export_chunks (client_id, export_id, attempt, number, content)
    values (${clientId}, ${id}, ${attempt}, ${number}, ${content})`
}

/** Ends an attempt that is still the one; false: it is not. */
export async function endAttempt(
  run: Db | Tx,
  { clientId, id, attempt }: Attempt,
  end: { problem: ExportProblem | null; now: Date; expiresAt: Date },
): Promise<boolean> {
  const { problem, now, expiresAt } = end
  const ended = await run`
    update exports
    set state = case when ${problem}::text is null then 'ready' else 'failed' end,
      problem = ${problem}, completed_at = ${now}, expires_at = ${expiresAt},
      due_at = case when ${problem}::text is null then ${expiresAt}::timestamptz else ${now} end,
      share = case when ${problem}::text is null then 1000 else share end,
      version = version + 1
    where client_id = ${clientId} and id = ${id} and attempt = ${attempt} and state = 'running'
    returning id`
  return ended.length === 1
}

/** Gives an attempt back: any process may begin the next one at once. */
export async function releaseAttempt(
  db: Db,
  { clientId, id, attempt }: Attempt,
  now: Date,
): Promise<void> {
  await db`
    update exports set due_at = ${now}
    where client_id = ${clientId} and id = ${id} and attempt = ${attempt} and state = 'running'`
}

/** Cancels one that has not ended; false: it has. */
export async function cancelRow(tx: Tx, { clientId, id }: ExportId, now: Date): Promise<boolean> {
  const rows = await tx`
    update exports
    set state = 'cancelled', completed_at = ${now}, due_at = ${now}, version = version + 1
    where client_id = ${clientId} and id = ${id} and state in ('waiting', 'running')
    returning id`
  return rows.length === 1
}

/** Lets the file of one that has ended be removed now. */
export async function expireRow(tx: Tx, { clientId, id }: ExportId, now: Date): Promise<boolean> {
  const rows = await tx`
    update exports set expires_at = ${now}, due_at = ${now}, version = version + 1
    where client_id = ${clientId} and id = ${id} and completed_at is not null
    returning id`
  return rows.length === 1
}

/** Deletes chunks of attempts below one; returns how many, a few at a time. */
export async function deleteChunks(
  db: Db,
  { clientId, id }: ExportId,
  belowAttempt: number,
  limit: number,
): Promise<number> {
  const rows = await db`
    delete from export_chunks
    where client_id = ${clientId} and export_id = ${id} and (attempt, number) in (
      select attempt, number from export_chunks
      where client_id = ${clientId} and export_id = ${id} and attempt < ${belowAttempt}
      limit ${limit})
    returning number`
  return rows.length
}

/** Deletes an export that is over; one that is kept as a line falls due again at its end. */
export async function removeOver(db: Db, { clientId, id }: ExportId, now: Date): Promise<void> {
  await db`
    delete from exports
    where client_id = ${clientId} and id = ${id} and expires_at <= ${now}
      and completed_at is not null`
  await db`
    update exports set due_at = expires_at
    where client_id = ${clientId} and id = ${id} and completed_at is not null`
}

/** One chunk of a file; undefined: it was removed. */
export async function readChunk(
  db: Db,
  { clientId, id, attempt }: Attempt,
  number: number,
): Promise<Buffer | undefined> {
  const [row] = await db<{ content: Buffer }>`
    select content from export_chunks
    where client_id = ${clientId} and export_id = ${id} and attempt = ${attempt}
      and number = ${number}`
  return row?.content
}

/** The versions of exports that pages follow. */
export async function readVersions(db: Db, ids: string[]): Promise<Map<string, string>> {
  const rows = await db<{ key: string; version: string }>`
    select w.key, e.version::text as version
    from unnest(${ids}::text[]) as w (key)
    join exports e on (e.client_id, e.id)
      = (split_part(w.key, ' ', 1)::integer, split_part(w.key, ' ', 2)::uuid)`
  return new Map(rows.map(({ key, version }) => [key, version]))
}

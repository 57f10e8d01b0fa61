import type { Db } from '../db/db.ts'
import { columns, json } from '../db/db.ts'
import type { Proof } from './proof.ts'

const proofColumns = columns([
  'id',
  'asked_by',
  'asked_at',
  'state',
  'started_at',
  'ended_at',
  'attempt',
  'done',
  'total',
  'postings',
  'entries',
  'accounts',
  'anchors',
  'breaks',
  'problem',
  'version',
])

/** False: one is under way already. */
export async function insertProof(
  db: Db,
  { id, askedBy, askedAt }: Pick<Proof, 'id' | 'askedBy' | 'askedAt'>,
): Promise<boolean> {
  const rows = await db`
    insert into proofs (id, asked_by, asked_at, state, due_at)
    values (${id}, ${askedBy}, ${askedAt}, 'waiting', ${askedAt})
    on conflict ((true)) where ended_at is null do nothing
    returning id`
  return rows.length === 1
}

/** Keeps a proof that has ended. */
export async function insertEndedProof(db: Db, one: Proof): Promise<void> {
  await db`
    insert into proofs (id, asked_by, asked_at, state, started_at, ended_at, attempt, done, total,
      postings, entries, accounts, anchors, breaks)
    values (${one.id}, ${one.askedBy}, ${one.askedAt}, ${one.state}, ${one.startedAt},
      ${one.endedAt}, ${one.attempt}, ${one.done}, ${one.total}, ${one.postings}, ${one.entries},
      ${one.accounts}, ${one.anchors}, ${json(one.breaks)})`
}

export async function findProof(db: Db, id: string): Promise<Proof | undefined> {
  const [found] = await db<Proof>`select ${proofColumns} from proofs where id = ${id}`
  return found
}

/** The one that waits or runs. */
export async function findUnderWay(db: Db): Promise<Proof | undefined> {
  const [found] = await db<Proof>`select ${proofColumns} from proofs where ended_at is null`
  return found
}

/** Newest first. */
export function listProofs(db: Db, limit: number): Promise<Proof[]> {
  return db<Proof>`select ${proofColumns} from proofs order by id desc limit ${limit}`
}

/** The last one that has come to a result. */
export async function findLastProof(db: Db): Promise<Proof | undefined> {
  const [found] = await db<Proof>`
    select ${proofColumns} from proofs where state = 'done' order by id desc limit 1`
  return found
}

/** Begins the one that waits, or whose process died; nobody else begins it within the lease. */
export function claimProof(db: Db, { now, dueAt }: { now: Date; dueAt: Date }): Promise<Proof[]> {
  return db<Proof>`
    update proofs
    set state = 'running', attempt = attempt + 1, started_at = ${now}, done = 0, total = 0,
      due_at = ${dueAt}, version = version + 1
    where ended_at is null and due_at <= ${now}
    returning ${proofColumns}`
}

type Attempt = Pick<Proof, 'id' | 'attempt'>

/** Records how far an attempt is and prolongs its lease; false: another one has begun. */
export async function updateProof(
  db: Db,
  { id, attempt }: Attempt,
  { done, total, dueAt }: { done: number; total: number; dueAt: Date },
): Promise<boolean> {
  const rows = await db`
    update proofs
    set done = ${done}, total = ${total}, due_at = ${dueAt},
      version = version + case when (done, total) = (${done}, ${total}) then 0 else 1 end
    where id = ${id} and attempt = ${attempt} and state = 'running'
    returning id`
  return rows.length === 1
}

/** Ends an attempt, unless another one has begun. */
export async function endProof(
  db: Db,
  { id, attempt }: Attempt,
  end: Pick<Proof, 'endedAt' | 'postings' | 'entries' | 'accounts' | 'anchors' | 'problem'> &
    Pick<Proof, 'breaks'>,
): Promise<void> {
  const { endedAt, postings, entries, accounts, anchors, breaks, problem } = end
  await db`
    update proofs
    set state = case when ${problem}::text is null then 'done' else 'failed' end,
      ended_at = ${endedAt}, due_at = null, postings = ${postings}, entries = ${entries},
      accounts = ${accounts}, anchors = ${anchors},
      breaks = ${breaks === null ? null : json(breaks)}, problem = ${problem},
      done = coalesce(${entries}, done), total = coalesce(${entries}, total),
      version = version + 1
    where id = ${id} and attempt = ${attempt} and state = 'running'`
}

/** Gives an attempt back: any process may begin it again at once. */
export async function releaseProof(db: Db, { id, attempt }: Attempt, now: Date): Promise<void> {
  await db`
    update proofs set due_at = ${now}
    where id = ${id} and attempt = ${attempt} and state = 'running'`
}

/** The versions of proofs that pages follow. */
export async function readProofVersions(db: Db, ids: string[]): Promise<Map<string, string>> {
  const rows = await db<{ id: string; version: string }>`
    select id, version::text as version from proofs where id = any(${ids}::uuid[])`
  return new Map(rows.map(({ id, version }) => [id, version]))
}

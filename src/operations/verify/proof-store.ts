import { newId } from '#base/kit/ids.ts'
import { columns, type Db, json } from '#data/db/db.ts'
import type { Break } from './break.ts'
import type { Verdict } from './ledger.ts'

/** A run of every check that has come to a result. */
export interface Proof extends Verdict {
  id: string
  /** Who ran the command. */
  provedBy: string
  startedAt: Date
  endedAt: Date
  breaks: Break[]
}

const proofColumns = columns([
  'id',
  'proved_by',
  'started_at',
  'ended_at',
  'postings',
  'entries',
  'accounts',
  'anchors',
  'breaks',
])

/** Keeps what a proof has come to; returns its id. */
export async function insertProof(db: Db, proof: Omit<Proof, 'id'>): Promise<string> {
  const { provedBy, startedAt, endedAt, postings, entries, accounts, anchors, breaks } = proof
  const id = newId(startedAt)
  await db`
    insert into proofs (id, proved_by, started_at, ended_at, postings, entries, accounts, anchors,
      breaks)
    values (${id}, ${provedBy}, ${startedAt}, ${endedAt}, ${postings}, ${entries}, ${accounts},
      ${anchors}, ${json(breaks)})`
  return id
}

export async function findProof(db: Db, id: string): Promise<Proof | undefined> {
  const [found] = await db<Proof>`select ${proofColumns} from proofs where id = ${id}`
  return found
}

/** Newest first. */
export function listProofs(db: Db, limit: number): Promise<Proof[]> {
  return db<Proof>`select ${proofColumns} from proofs order by id desc limit ${limit}`
}

/** The last one; undefined: none was made. */
export async function findLastProof(db: Db): Promise<Proof | undefined> {
  const [found] = await listProofs(db, 1)
  return found
}

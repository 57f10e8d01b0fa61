import type { Db, Tx } from '../db/db.ts'
import { fragment, json } from '../db/db.ts'
import { isAtWork } from '../db/resting.ts'
import type { Approval } from './approval.ts'

const columns = fragment`
  id, kind, client_id as "clientId", amount, content as order, seen, state,
  proposed_by as "proposedBy", proposed_at as "proposedAt", expires_at as "expiresAt",
  decided_by as "decidedBy", decided_at as "decidedAt", reason, outcome`

/** False when its form was sent before. */
export async function insertApproval(
  tx: Tx,
  one: Approval & { form: string | null },
): Promise<boolean> {
  const rows = await tx`
    insert into approvals (id, kind, client_id, amount, content, seen, proposed_by, proposed_at,
      expires_at, form)
    values (${one.id}, ${one.kind}, ${one.clientId}, ${one.amount}, ${json(one.order)},
      ${json(one.seen)}, ${one.proposedBy}, ${one.proposedAt}, ${one.expiresAt}, ${one.form})
    on conflict (form) do nothing
    returning id`
  return rows.length > 0
}

export async function findApproval(run: Db | Tx, id: string): Promise<Approval | undefined> {
  const [found] = await run<Approval>`select ${columns} from approvals where id = ${id}`
  return found
}

export async function findByForm(run: Db | Tx, form: string): Promise<Approval | undefined> {
  const [found] = await run<Approval>`select ${columns} from approvals where form = ${form}`
  return found
}

/** The approval, locked until the transaction ends. */
export async function lockApproval(tx: Tx, id: string): Promise<Approval | undefined> {
  const [found] = await tx<Approval>`
    select ${columns} from approvals where id = ${id} for update`
  return found
}

/** Writes how it was decided. */
export async function decideApproval(tx: Tx, one: Approval): Promise<void> {
  await tx`
    update approvals set state = ${one.state}, decided_by = ${one.decidedBy},
      decided_at = ${one.decidedAt}, reason = ${one.reason},
      outcome = ${one.outcome === null ? null : json(one.outcome)}
    where id = ${one.id}`
}

/** Newest first: open ones, or all; `below`: the id of the last one of the page before. */
export function listApprovals(
  db: Db,
  { isAll, below, limit }: { isAll: boolean; below: string; limit: number },
): Promise<Approval[]> {
  return db<Approval>`
    select ${columns} from approvals
    where id < ${below} and (state = 'open' or ${isAll})
    order by id desc
    limit ${limit}`
}

/** Open ones whose time is over, locked; those that somebody decides right now are left out. */
export function lockExpired(tx: Tx, now: Date, limit: number): Promise<Approval[]> {
  return tx<Approval>`
    select ${columns} from approvals
    where state = 'open' and expires_at <= ${now} and ${isAtWork('client_id')}
    order by id
    limit ${limit}
    for update skip locked`
}

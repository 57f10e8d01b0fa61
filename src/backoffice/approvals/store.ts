import { type Db, fragment, json, type Tx } from '#data/db/db.ts'
import { type Approval, type ApprovalTrigger, approvalSteps } from './approval.ts'

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
    insert into approvals (id, kind, client_id, amount, content, seen, state, proposed_by,
      proposed_at, expires_at, decided_by, decided_at, outcome, form)
    values (${one.id}, ${one.kind}, ${one.clientId}, ${one.amount}, ${json(one.order)},
      ${json(one.seen)}, ${one.state}, ${one.proposedBy}, ${one.proposedAt}, ${one.expiresAt},
      ${one.decidedBy}, ${one.decidedAt}, ${one.outcome === null ? null : json(one.outcome)},
      ${one.form})
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
export async function decideApproval(
  tx: Tx,
  trigger: ApprovalTrigger,
  one: Approval,
): Promise<void> {
  await tx`
    update approvals set ${approvalSteps.set(trigger, 'approvals')}, decided_by = ${one.decidedBy},
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

/** Lets one order after the other be judged by what was done before it. */
export async function lockAlone(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtext('orders by hand'))`
}

/** What was done alone since a time: by a person, and for each of these clients. */
export async function readAlone(
  run: Db | Tx,
  { since, person, ids }: { since: Date; person: string; ids: number[] },
): Promise<{ byPerson: number; byClient: Map<number, number> }> {
  const rows = await run<{ clientId: number | null; amount: number }>`
    with alone as materialized (
      select client_id, amount, proposed_by, content from approvals
      where state = 'alone' and proposed_at > ${since}
    )
    select null::integer as "clientId", coalesce(sum(amount), 0)::bigint as amount from alone
    where lower(proposed_by) = lower(${person})
    union all
    select client_id, sum(amount)::bigint from (
      select client_id, amount from alone where client_id is not null
      union all
      select c.key::integer, c.value::bigint
      from alone, jsonb_each_text(content -> 'clients') c where client_id is null
    ) of_clients (client_id, amount)
    where client_id = any(${ids}::integer[])
    group by client_id`
  const amounts = new Map(rows.map(({ clientId, amount }) => [clientId, amount]))
  const byPerson = amounts.get(null) ?? 0
  return { byPerson, byClient: new Map(ids.map((id) => [id, amounts.get(id) ?? 0])) }
}

/** Open ones whose time is over, locked; those that somebody decides right now are left out. */
export function lockExpired(tx: Tx, now: Date, limit: number): Promise<Approval[]> {
  return tx<Approval>`
    select ${columns} from approvals
    where state = 'open' and expires_at <= ${now}
    order by id
    limit ${limit}
    for update skip locked`
}

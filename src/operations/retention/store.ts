import type { Db, Tx } from '#data/db/db.ts'
import type { RuleName } from './rule.ts'

/** How a rule stands. */
export interface RuleState {
  rule: RuleName
  /** Whether somebody works on it. */
  isRunning: boolean
  beganAt: Date
  /** The end of the last round; null: none has ended. */
  endedAt: Date | null
  /** In the last round, and since the beginning. */
  forgotten: number
  forgottenInAll: number
}

/** Who works on a rule until when. */
export interface Lease {
  rule: RuleName
  id: string
}

/** The claim of a rule by somebody, for a round that begins now. */
interface Claim extends Lease {
  now: Date
  until: Date
  /** Whether to take it before it is due, unless somebody works on it. */
  isEarly: boolean
}

/** Claims a rule; false: it is not due, or somebody else works on it. */
export async function claimRule(db: Db, claim: Claim): Promise<boolean> {
  const { rule, id, now, until, isEarly } = claim
  const rows = await db`
    insert into retention_rules as r (rule, due_at, lease, began_at)
    values (${rule}, ${until}, ${id}, ${now})
    on conflict (rule) do update
    set due_at = excluded.due_at, lease = excluded.lease, began_at = excluded.began_at,
      forgotten = 0
    where r.due_at <= ${now} or ${isEarly} and r.lease is null
    returning rule`
  return rows.length === 1
}

/**
 * Adds to what a rule has forgotten, and prolongs the lease. False: somebody else has it now, and
 * nothing of this transaction may be committed.
 */
export async function prolongLease(
  tx: Tx,
  { rule, id }: Lease,
  { until, forgotten }: { until: Date; forgotten: number },
): Promise<boolean> {
  const rows = await tx`
    update retention_rules
    set due_at = ${until}, forgotten = forgotten + ${forgotten},
      forgotten_in_all = forgotten_in_all + ${forgotten}
    where rule = ${rule} and lease = ${id}
    returning rule`
  return rows.length === 1
}

/** Gives a rule back. `endedAt` null: the round has not ended, and another may go on with it. */
export async function endLease(
  db: Db,
  { rule, id }: Lease,
  { dueAt, endedAt }: { dueAt: Date; endedAt: Date | null },
): Promise<void> {
  await db`
    update retention_rules
    set lease = null, due_at = ${dueAt}, ended_at = coalesce(${endedAt}, ended_at)
    where rule = ${rule} and lease = ${id}`
}

export function readRuleStates(db: Db, now: Date): Promise<RuleState[]> {
  return db<RuleState>`
    select rule, lease is not null and due_at > ${now} as "isRunning", began_at as "beganAt",
      ended_at as "endedAt", forgotten, forgotten_in_all as "forgottenInAll"
    from retention_rules`
}

/** Bounds each statement of a transaction, and each wait for a lock that a payment holds. */
export async function boundStatements(
  tx: Tx,
  { statementMs, lockMs }: { statementMs: number; lockMs: number },
): Promise<void> {
  await tx`
    select set_config('statement_timeout', ${String(statementMs)}, true),
      set_config('lock_timeout', ${String(lockMs)}, true)`
}

/** Whose records there are: of every client, and of none. */
export async function readOwners(db: Db): Promise<number[]> {
  const rows = await db<{ id: number }>`
    select 0 as id
    union all select c.id from clients c
    order by 1`
  return rows.map(({ id }) => id)
}

/** A rule and a client. */
export interface Track {
  rule: RuleName
  clientId: number
}

/** How far a rule has come in the records of a client; undefined: it has not begun. */
export async function readReached(
  run: Db | Tx,
  { rule, clientId }: Track,
): Promise<string | undefined> {
  const [row] = await run<{ reached: string }>`
    select reached from retention_cursors where rule = ${rule} and client_id = ${clientId}`
  return row?.reached
}

export async function setReached(
  tx: Tx,
  { rule, clientId }: Track,
  reached: string,
): Promise<void> {
  await tx`
    insert into retention_cursors (rule, client_id, reached)
    values (${rule}, ${clientId}, ${reached})
    on conflict (rule, client_id) do update set reached = excluded.reached`
}

/** Keeps places to look at again. */
export async function insertLeft(
  tx: Tx,
  { rule, clientId }: Track,
  places: string[],
  now: Date,
): Promise<void> {
  await tx`
    insert into retention_left (rule, client_id, place, looked_at)
    select ${rule}, ${clientId}, place, ${now} from unnest(${places}::text[]) as place
    on conflict (rule, client_id, place) do nothing`
}

/** Places that were left and not looked at since a time, the one longest ago first. */
export async function readLeft(
  tx: Tx,
  { rule, clientId }: Track,
  { before, limit }: { before: Date; limit: number },
): Promise<string[]> {
  const rows = await tx<{ place: string }>`
    select place from retention_left
    where rule = ${rule} and client_id = ${clientId} and looked_at < ${before}
    order by looked_at, place
    limit ${limit}`
  return rows.map(({ place }) => place)
}

/** Removes places that are done, and notes that the others were looked at. */
export async function updateLeft(
  tx: Tx,
  { rule, clientId }: Track,
  { looked, left, now }: { looked: string[]; left: string[]; now: Date },
): Promise<void> {
  await tx`
    delete from retention_left
    where rule = ${rule} and client_id = ${clientId} and place = any(${looked}::text[])
      and place <> all(${left}::text[])`
  await tx`
    update retention_left set looked_at = ${now}
    where rule = ${rule} and client_id = ${clientId} and place = any(${left}::text[])`
}

/** How many places were left, by rule. */
export async function countLeft(db: Db): Promise<Map<string, number>> {
  const rows = await db<{ rule: string; count: number }>`
    select rule, count(*) from retention_left group by rule`
  return new Map(rows.map(({ rule, count }) => [rule, count]))
}

import { type Db, json, type Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'

/** What a client may move in a day within a scope. */
export interface DailyLimit {
  clientId: number
  scope: string
  /** In francs; null: no limit. */
  amountMax: number | null
  countMax: number | null
}

/** How often a client may try one payer's number in ten minutes. */
export interface AttemptLimit {
  clientId: number
  attemptsMax: number
}

/** A number with which nothing new begins. */
export interface BlockedNumber {
  /** Country and nine digits: SN771234567. */
  phone: string
  reason: string
  actor: string
  blockedAt: Date
  expiresAt: Date | null
}

/** What a group of records adds to a sum of a day. */
export interface Share {
  clientId: number
  scope: string
  day: string
  amount: number
  count: number
}

/** How often a group of records tries a number. */
export interface Tries {
  clientId: number
  phone: string
  count: number
  attemptsMax: number
}

/** A group of records that are being made, added up, in the order of the keys. */
export interface Group {
  shares: Share[]
  tries: Tries[]
  /** Whether one of them has a number that is blocked. */
  isBlocked: boolean
  /** Each record, for when not all have a place. */
  checks: object[]
}

/** What the database answers about a record that was counted or refused. */
export interface Taken {
  /** Null: all of the group were counted. */
  id: string | null
  refusal: 'blocked' | 'attempts' | 'amount' | 'count' | null
  most: number | null
  used: number | null
}

/** Counts records that are being made, or refuses them; see the function of this name. */
export function takeLimits(tx: Tx, group: Group, now: Date): Promise<Taken[]> {
  const { shares, tries, isBlocked, checks } = group
  return tx<Taken>`
    select id, refusal, most, used from take_limits(
      ${shares.map(({ clientId }) => clientId)}::integer[],
      ${shares.map(({ scope }) => scope)}::text[],
      ${shares.map(({ day }) => day)}::date[],
      ${shares.map(({ amount }) => amount)}::bigint[],
      ${shares.map(({ count }) => count)}::integer[],
      ${tries.map(({ clientId }) => clientId)}::integer[],
      ${tries.map(({ phone }) => phone)}::text[],
      ${tries.map(({ count }) => count)}::integer[],
      ${tries.map(({ attemptsMax }) => attemptsMax)}::integer[],
      ${isBlocked}, ${JSON.stringify(checks)}, ${now})`
}

/** Takes records that have ended unpaid out of the sums of their days. */
export async function freeLimits(tx: Tx, counted: object[], now: Date): Promise<void> {
  await tx`select free_limits(${json(counted)}, ${now})`
}

const shareRows = rowsOf({
  clientId: 'integer',
  scope: 'text',
  day: 'text',
  amount: 'bigint',
  count: 'integer',
})
const triesRows = rowsOf({ clientId: 'integer', phone: 'text', count: 'integer' })

/**
 * Takes records out of what this transaction has locked and counted: they are not made after all.
 * The last tries of a number are its own.
 */
export async function untakeLimits(tx: Tx, { shares, tries }: Group): Promise<void> {
  if (shares.length > 0)
    await tx`
      update limit_days d
      set amount = d.amount - s.amount, count = d.count - s.count
      from ${shareRows(shares)} as s
      where d.client_id = s."clientId" and d.scope = s.scope and d.day = s.day::date`
  if (tries.length > 0)
    await tx`
      update number_attempts n
      set times = n.times[1:greatest(cardinality(n.times) - t.count, 0)]
      from ${triesRows(tries)} as t
      where n.client_id = t."clientId" and n.phone = t.phone`
}

/** Gives a database transaction its number: it counts as one that writes from now on. */
export async function beginWriting(tx: Tx): Promise<void> {
  await tx`select pg_current_xact_id()`
}

export async function readVersion(db: Db): Promise<number> {
  const [row] = await db<{ version: number }>`select version from limit_version`
  return row?.version ?? 0
}

export async function raiseVersion(tx: Tx): Promise<void> {
  await tx`update limit_version set version = version + 1`
}

export function readDailyLimits(run: Db | Tx): Promise<DailyLimit[]> {
  return run<DailyLimit>`
    select client_id as "clientId", scope, amount_max as "amountMax", count_max as "countMax"
    from daily_limits order by client_id, scope`
}

export function readAttemptLimits(run: Db | Tx): Promise<AttemptLimit[]> {
  return run<AttemptLimit>`
    select client_id as "clientId", attempts_max as "attemptsMax"
    from attempt_limits order by client_id`
}

/** Blocks that hold at a time, the newest first. */
export function readBlocked(run: Db | Tx, now: Date): Promise<BlockedNumber[]> {
  return run<BlockedNumber>`
    select phone, reason, actor, blocked_at as "blockedAt", expires_at as "expiresAt"
    from blocked_numbers
    where expires_at is null or expires_at > ${now}
    order by blocked_at desc, phone`
}

/** What limits have counted of some days. */
export function readUsed(db: Db, days: string[]) {
  return db<{ clientId: number; scope: string; day: string; amount: number; count: number }>`
    select client_id as "clientId", scope, day::text as day, amount, count from limit_days
    where day = any(${days}::date[])`
}

/** A limit that is there already keeps the time since when it is counted. */
export async function upsertDailyLimit(tx: Tx, limit: DailyLimit, since: Date): Promise<void> {
  const { clientId, scope, amountMax, countMax } = limit
  await tx`
    insert into daily_limits (client_id, scope, amount_max, count_max, since)
    values (${clientId}, ${scope}, ${amountMax}, ${countMax}, ${since})
    on conflict (client_id, scope) do update
    set amount_max = excluded.amount_max, count_max = excluded.count_max`
}

export async function upsertAttemptLimit(tx: Tx, limit: AttemptLimit): Promise<void> {
  await tx`
    insert into attempt_limits (client_id, attempts_max)
    values (${limit.clientId}, ${limit.attemptsMax})
    on conflict (client_id) do update set attempts_max = excluded.attempts_max`
}

/** Returns the scopes whose limits were removed. */
export async function deleteDailyLimits(
  tx: Tx,
  clientId: number,
  scopes: string[],
): Promise<string[]> {
  const rows = await tx<{ scope: string }>`
    delete from daily_limits
    where client_id = ${clientId} and scope = any(${scopes}::text[]) returning scope`
  return rows.map(({ scope }) => scope)
}

/** False when the client had no such limit. */
export async function deleteAttemptLimit(tx: Tx, clientId: number): Promise<boolean> {
  const rows = await tx`delete from attempt_limits where client_id = ${clientId} returning 1`
  return rows.length > 0
}

export async function upsertBlocked(tx: Tx, blocked: BlockedNumber): Promise<void> {
  const { phone, reason, actor, blockedAt, expiresAt } = blocked
  await tx`
    insert into blocked_numbers (phone, reason, actor, blocked_at, expires_at)
    values (${phone}, ${reason}, ${actor}, ${blockedAt}, ${expiresAt})
    on conflict (phone) do update set reason = excluded.reason, actor = excluded.actor,
      blocked_at = excluded.blocked_at, expires_at = excluded.expires_at`
}

/** False when the number was not blocked. */
export async function deleteBlocked(tx: Tx, phone: string): Promise<boolean> {
  const rows = await tx`delete from blocked_numbers where phone = ${phone} returning 1`
  return rows.length > 0
}

/** Deletes what no check needs any more. */
export async function deleteOldCounts(
  db: Db,
  { attemptsBefore, daysBefore }: { attemptsBefore: Date; daysBefore: string },
): Promise<void> {
  await db`delete from number_attempts where last_at < ${attemptsBefore}`
  await db`delete from limit_days where day < ${daysBefore}`
}

/** Deletes blocks that ended before a time, and returns how many. */
export async function deleteEndedBlocks(tx: Tx, before: Date): Promise<number> {
  const rows = await tx`delete from blocked_numbers where expires_at < ${before} returning 1`
  return rows.length
}

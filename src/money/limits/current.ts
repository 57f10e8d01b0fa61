import { monotonicMs } from '#base/kit/clock.ts'
import type { Db, Tx } from '#data/db/db.ts'
import { Outdated } from '#data/db/errors.ts'
import { checkFor, dailyKey, type LimitCheck, type Rules } from './rules.ts'
import type { Counted } from './scope.ts'
import { readAttemptLimits, readBlocked, readDailyLimits } from './store.ts'

// A limit is counted exactly from ten seconds after it was set: older knowledge is not used.
const trustedMs = 5000

/** The rules as the database has them. */
export async function readRules(run: Db | Tx, now: Date): Promise<Rules> {
  const readMs = monotonicMs()
  const [daily, attempts, blocked] = await Promise.all([
    readDailyLimits(run),
    readAttemptLimits(run),
    readBlocked(run, now),
  ])
  return {
    daily: new Set(daily.map(({ clientId, scope }) => dailyKey(clientId, scope))),
    attempts: new Map(attempts.map(({ clientId, attemptsMax }) => [clientId, attemptsMax])),
    blocked: new Map(blocked.map(({ phone, expiresAt }) => [phone, expiresAt])),
    readMs,
  }
}

/** Whether rules may still be used: a process may have been stopped since they were read. */
export function areCurrent({ readMs }: Rules): boolean {
  return monotonicMs() - readMs < trustedMs
}

/**
 * These rules, or those of now where they are too old. To be asked once something is locked:
 * before, see `refuseOldRules`.
 */
export async function currentRules(tx: Tx, rules: Rules, now: Date): Promise<Rules> {
  return areCurrent(rules) ? rules : readRules(tx, now)
}

/** A record that is being made, and the rules by which it is to be checked. */
export interface Ruled {
  transaction: Counted
  /** Left out: it is under no rules. */
  rules?: Rules | undefined
}

/** What has to be checked of records, by rules that are current. */
export async function checksOf(
  tx: Tx,
  records: Ruled[],
  now: Date,
): Promise<{ checks: LimitCheck[]; rules: Rules[] }> {
  const used = [...new Set(records.flatMap(({ rules }) => rules ?? []))]
  const anew = used.every(areCurrent) ? undefined : await readRules(tx, now)
  const checks = records.flatMap(({ transaction, rules }) =>
    rules === undefined ? [] : (checkFor(anew ?? rules, transaction) ?? []),
  )
  return { checks, rules: anew === undefined ? used : [anew] }
}

/**
 * Runs a database transaction again whose rules were too old when it first wrote: a limit that was
 * set since waits only for those that had begun to write soon after.
 */
export function refuseOldRules(rules: Rules[]): void {
  if (!rules.every(areCurrent)) throw new Outdated('the rules of limits are too old')
}

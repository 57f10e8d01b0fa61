import { Counter } from '@prometheus-io/client'
import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import { endOfDay } from '#base/kit/zoned-days.ts'
import type { Tx } from '#data/db/db.ts'
import type { LimitCheck } from './rules.ts'
import { zoneOf } from './scope.ts'
import {
  type Group,
  type Share,
  type Taken,
  type Tries,
  takeLimits,
  untakeLimits,
} from './store.ts'

/** What became of checks: the refused ones, and those that were counted. */
export interface Checked {
  refused: Map<string, Refusal>
  counted: Map<string, LimitCheck>
}

/** How many records this process refused, by kind; for metrics. */
export const limitRefusals = new Counter({
  name: 'passerelle_limit_refusals_total',
  help: 'Payments refused by a limit or the block list, by error code',
  labelNames: ['code'],
  registers: [],
})

const nothing: Checked = { refused: new Map(), counted: new Map() }

/**
 * Counts records that are about to be inserted, or refuses them and releases their external ids.
 * Sent behind the statement that claims these and before the one that inserts the records, in one
 * round trip with both; without checks nothing is sent. Locks are held until the commit: two
 * requests never take the same last place. Repeats may be counted too: see `uncount`.
 */
export async function checkLimits(tx: Tx, checks: LimitCheck[], now: Date): Promise<Checked> {
  if (checks.length === 0) return nothing
  const byId = new Map(checks.map((check) => [check.id, check]))
  const taken = await takeLimits(tx, groupOf(checks), now)
  if (taken[0]?.id === null) return { refused: new Map(), counted: byId }
  const checked: Checked = { refused: new Map(), counted: new Map() }
  for (const one of taken) {
    const check = byId.get(one.id ?? '')
    if (check === undefined) throw new Error('an answer about an unknown record')
    if (one.refusal === null) checked.counted.set(check.id, check)
    else checked.refused.set(check.id, refusalOf(check, one))
  }
  return checked
}

/** Takes back what was counted for records that are not made after all, or were made before. */
export async function uncount(tx: Tx, { counted }: Checked, ids: Iterable<string>): Promise<void> {
  if (counted.size === 0) return
  const unused = [...ids].flatMap((id) => counted.get(id) ?? [])
  if (unused.length > 0) await untakeLimits(tx, groupOf(unused))
}

/** Adds checks up. Their keys are in one order, so that two groups never wait for each other. */
function groupOf(checks: LimitCheck[]): Group {
  const shares = new Map<string, Share>()
  const tries = new Map<string, Tries>()
  for (const { clientId, scope, day, amount, phone, attemptsMax } of checks) {
    if (scope !== null) {
      const key = `${String(clientId).padStart(10, '0')} ${scope} ${day}`
      const share = shares.get(key) ?? { clientId, scope, day, amount: 0, count: 0 }
      share.amount += amount
      share.count += 1
      shares.set(key, share)
    }
    if (phone !== null && attemptsMax !== null) {
      const key = `${String(clientId).padStart(10, '0')} ${phone}`
      const tried = tries.get(key) ?? { clientId, phone, count: 0, attemptsMax }
      tried.count += 1
      tries.set(key, tried)
    }
  }
  return {
    shares: inOrder(shares),
    tries: inOrder(tries),
    isBlocked: checks.some((one) => one.isBlocked),
    checks: checks.map(rowOf),
  }
}

function inOrder<T>(byKey: Map<string, T>): T[] {
  if (byKey.size < 2) return [...byKey.values()]
  return [...byKey].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value)
}

function rowOf(check: LimitCheck, position: number): object {
  const { clientId, id, externalId, amount, day, scope, phone } = check
  return {
    position,
    client_id: clientId,
    id,
    external_id: externalId,
    amount,
    day,
    scope,
    phone,
    attempts_max: check.attemptsMax,
    is_blocked: check.isBlocked,
  }
}

const kinds = {
  blocked: 'number_blocked',
  attempts: 'too_many_attempts',
  amount: 'daily_limit_reached',
  count: 'daily_limit_reached',
} as const

function refusalOf({ scope, day }: LimitCheck, taken: Taken): Refusal {
  const { refusal } = taken
  if (refusal === null) throw new Error('it was not refused')
  limitRefusals.inc({ code: kinds[refusal].toUpperCase() })
  return new Refusal(kinds[refusal], sentenceOf(refusal, scope ?? '', taken, day))
}

function sentenceOf(refusal: keyof typeof kinds, scope: string, taken: Taken, day: string): Reason {
  const until = endOfDay(day, zoneOf(scope)).toISOString().slice(11, 16)
  const { most, used } = taken
  const max = most ?? 0
  switch (refusal) {
    case 'blocked':
      return reason('This number is blocked', {}, 'number')
    case 'attempts':
      return reason('This number was tried {max} times in ten minutes', { max }, 'number')
    case 'amount':
      return reason(
        'The daily limit of {scope} is {max} FCFA: {left} FCFA are left until {until} UTC',
        { scope, max, left: Math.max(0, max - (used ?? 0)), until },
        'amount',
      )
    case 'count':
      return reason(
        'The daily limit of {scope} is {max} transactions: none is left until {until} UTC',
        { scope, max, until },
      )
  }
}

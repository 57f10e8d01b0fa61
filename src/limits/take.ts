import type { Reason } from '../catalog/refusal.ts'
import { Refusal, reason } from '../catalog/refusal.ts'
import type { Tx } from '../db/db.ts'
import { Tally } from '../kit/tally.ts'
import type { LimitCheck } from './rules.ts'
import type { Taken } from './store.ts'
import { takeLimits, untakeLimits } from './store.ts'

/** What became of checks: the refused ones, and those that were counted. */
export interface Checked {
  refused: Map<string, Refusal>
  counted: Map<string, LimitCheck>
}

/** How many records this process refused, by kind; for metrics. */
export const limitRefusals = new Tally()

const nothing: Checked = { refused: new Map(), counted: new Map() }

/**
 * Counts records that are about to be inserted, or refuses them and releases their external ids.
 * Sent behind the statement that claims these and before the one that inserts the records, in one
 * round trip with both; without checks nothing is sent. Locks are held until the commit: two
 * requests never take the same last place.
 */
export async function checkLimits(tx: Tx, checks: LimitCheck[], now: Date): Promise<Checked> {
  if (checks.length === 0) return nothing
  const byId = new Map(checks.map((check) => [check.id, check]))
  const checked: Checked = { refused: new Map(), counted: new Map() }
  for (const taken of await takeLimits(tx, checks.map(rowOf), now)) {
    const check = byId.get(taken.id)
    if (check === undefined) throw new Error('an answer about an unknown record')
    if (taken.refusal !== null) checked.refused.set(taken.id, refusalOf(check, taken))
    else if (check.scope !== null) checked.counted.set(taken.id, check)
  }
  return checked
}

/** Takes back what was counted for records that are not made after all. */
export async function uncount(tx: Tx, { counted }: Checked, ids: Iterable<string>): Promise<void> {
  if (counted.size === 0) return
  const unused = [...ids].flatMap((id) => counted.get(id) ?? [])
  if (unused.length > 0) await untakeLimits(tx, unused.map(rowOf))
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

function refusalOf({ scope }: LimitCheck, taken: Taken): Refusal {
  const { refusal } = taken
  if (refusal === null) throw new Error('it was not refused')
  limitRefusals.add([kinds[refusal]])
  return new Refusal(kinds[refusal], sentenceOf(refusal, scope ?? '', taken))
}

function sentenceOf(refusal: keyof typeof kinds, scope: string, taken: Taken): Reason {
  const { most, used } = taken
  const max = most ?? 0
  switch (refusal) {
    case 'blocked':
      return reason('This number is blocked', {}, 'number')
    case 'attempts':
      return reason('This number was tried {max} times in ten minutes', { max }, 'number')
    case 'amount':
      return reason(
        'The daily limit of {scope} is {max} FCFA: {left} FCFA are left until midnight UTC',
        { scope, max, left: max - (used ?? 0) },
        'amount',
      )
    case 'count':
      return reason(
        'The daily limit of {scope} is {max} transactions: none is left until midnight UTC',
        { scope, max },
      )
  }
}

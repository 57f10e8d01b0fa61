import { parseServiceCode } from '#merchants/catalog/services.ts'
import { type Counted, dayOf, numberKey, scopeOf } from './scope.ts'

/** What a process knows of limits and blocked numbers. */
export interface Rules {
  /** Client and scope of each daily limit. */
  daily: ReadonlySet<string>
  /** By client: how often it may try a number in ten minutes. */
  attempts: ReadonlyMap<number, number>
  /** By number: until when it is blocked; null: for good. */
  blocked: ReadonlyMap<string, Date | null>
  /** When reading them began, by the monotonic clock of this process. */
  readMs: number
}

/** What has to be checked of a transaction when it is recorded. */
export interface LimitCheck {
  clientId: number
  id: string
  externalId: string | null
  amount: number
  /** UTC. */
  day: string
  /** What it is counted under; null: no daily limit. */
  scope: string | null
  /** The number, where its tries are counted. */
  phone: string | null
  attemptsMax: number | null
  isBlocked: boolean
}

/** The key of a daily limit. */
export function dailyKey(clientId: number, scope: string): string {
  return `${clientId} ${scope}`
}

/** What has to be checked of a transaction; undefined: nothing, as for most. */
export function checkFor(rules: Rules, counted: Counted): LimitCheck | undefined {
  const { clientId, id, externalId, amount, createdAt } = counted
  const scope = scopeOf(counted)
  const isLimited = rules.daily.size > 0 && rules.daily.has(dailyKey(clientId, scope))
  // Tries are of a payer, whose phone is prompted. A payout or a refund prompts nobody.
  const attemptsMax =
    counted.operation === 'CASHOUT' ? (rules.attempts.get(clientId) ?? null) : null
  const isBlocked = rules.blocked.size > 0 && isBlockedAt(rules, counted)
  if (!isLimited && attemptsMax === null && !isBlocked) return undefined
  return {
    clientId,
    id,
    externalId,
    amount,
    day: dayOf(createdAt, scope),
    scope: isLimited ? scope : null,
    phone: attemptsMax === null ? null : keyOfNumber(counted),
    attemptsMax,
    isBlocked,
  }
}

function isBlockedAt({ blocked }: Rules, counted: Counted): boolean {
  // The number of a bill is a meter's or a customer's, not a phone's.
  if (counted.operation === 'BILL') return false
  const until = blocked.get(keyOfNumber(counted))
  return until === null || (until !== undefined && counted.createdAt < until)
}

function keyOfNumber({ phone, serviceCode }: Counted): string {
  return numberKey({ phone, country: parseServiceCode(serviceCode)?.country ?? '' })
}

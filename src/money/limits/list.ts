import type { Db } from '#data/db/db.ts'
import { numbersScope } from './change.ts'
import { dayOf, scopes } from './scope.ts'
import { readAttemptLimits, readDailyLimits, readUsed } from './store.ts'

/** A limit and what is used of it today. */
export interface ListedLimit {
  clientId: number
  /** A service, REFUND or NUMBERS. */
  scope: string
  amountMax: number | null
  countMax: number | null
  /** How often a number may be tried in ten minutes. */
  attemptsMax: number | null
  usedAmount: number
  usedCount: number
}

/** Every limit, by client and scope, of one client or of all. */
export async function listLimits(
  db: Db,
  now: Date,
  clientId: number | null = null,
): Promise<ListedLimit[]> {
  const [daily, attempts, used] = await Promise.all([
    readDailyLimits(db),
    readAttemptLimits(db),
    readUsed(db, [...new Set(scopes.map((scope) => dayOf(now, scope)))]),
  ])
  const today = used.filter(({ day, scope }) => day === dayOf(now, scope))
  const usedBy = new Map(today.map((one) => [`${one.clientId} ${one.scope}`, one]))
  const all = [
    ...daily.map((one): ListedLimit => {
      const sums = usedBy.get(`${one.clientId} ${one.scope}`)
      const usedAmount = sums?.amount ?? 0
      return { ...one, attemptsMax: null, usedAmount, usedCount: sums?.count ?? 0 }
    }),
    ...attempts.map(
      (one): ListedLimit => ({
        ...one,
        scope: numbersScope,
        amountMax: null,
        countMax: null,
        usedAmount: 0,
        usedCount: 0,
      }),
    ),
  ]
  return all
    .filter((one) => clientId === null || one.clientId === clientId)
    .sort((one, other) => one.clientId - other.clientId)
}

import { recordAudit } from '../db/audit-log.ts'
import type { Db } from '../db/db.ts'
import { cached } from '../kit/cached.ts'
import type { Clock } from '../kit/clock.ts'
import { Refusal, reason } from './refusal.ts'
import { parseServiceCode } from './services.ts'
import { deleteClosure, insertClosure, readClosures } from './store.ts'

/** What is closed for maintenance now. */
export interface Maintenance {
  /** Whether the whole interface is. */
  isClosed: boolean
  closedServices: ReadonlySet<string>
}

/** Returns a reader of what is closed. What it read is cached for half a second. */
export function watchMaintenance(db: Db): () => Promise<Maintenance> {
  const read = cached(500, async (_key: 'now') => {
    const scopes = new Set((await readClosures(db)).map((closure) => closure.scope))
    return { isClosed: scopes.has('all'), closedServices: scopes }
  })
  return () => read('now')
}

interface Order {
  /** 'all' or a service code. */
  scope: string
  reason: string
  actor: string
}

/** Closes the whole interface or one service: its requests are refused until the end. */
export async function startMaintenance(db: Db, clock: Clock, order: Order): Promise<void> {
  checkScope(order.scope)
  const since = clock.now()
  await db.transaction(async (tx) => {
    await insertClosure(tx, { scope: order.scope, reason: order.reason, since })
    await recordAudit(tx, {
      at: since,
      actor: order.actor,
      action: 'maintenance.on',
      details: { scope: order.scope, reason: order.reason },
    })
  })
}

/** Opens the whole interface or one service again. */
export async function endMaintenance(
  db: Db,
  clock: Clock,
  order: Omit<Order, 'reason'>,
): Promise<void> {
  checkScope(order.scope)
  await db.transaction(async (tx) => {
    if (!(await deleteClosure(tx, order.scope)))
      throw new Refusal(
        'not_found',
        reason('{scope} is not in maintenance', { scope: order.scope }),
      )
    await recordAudit(tx, {
      at: clock.now(),
      actor: order.actor,
      action: 'maintenance.off',
      details: { scope: order.scope },
    })
  })
}

function checkScope(scope: string): void {
  if (scope !== 'all' && parseServiceCode(scope) === undefined)
    throw new Refusal('not_found', reason('There is no service {code}', { code: scope }))
}

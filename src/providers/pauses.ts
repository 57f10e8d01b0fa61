import { Refusal, reason } from '../catalog/refusal.ts'
import { services } from '../catalog/services.ts'
import { recordAudit } from '../db/audit.ts'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { nameOf } from './bindings.ts'
import { deletePause, insertPause, readPauses } from './pause-store.ts'

export interface Pauses {
  /** By the provider's name: `WALLETA_SN`. */
  isPaused(name: string): boolean
  close(): void
}

const lookEveryMs = 500

/** Keeps in mind which providers are paused; a change in any process is seen within a second. */
export async function openPauses(db: Db, log: Log): Promise<Pauses> {
  let paused = new Set<string>()
  async function look(): Promise<void> {
    paused = new Set((await readPauses(db)).map(nameOf))
  }
  await look()
  const timer = setInterval(() => {
    look().catch((problem: unknown) => log.warn({ err: problem }, 'pauses could not be read'))
  }, lookEveryMs)
  timer.unref()
  return {
    isPaused: (name) => paused.has(name),
    close: () => clearInterval(timer),
  }
}

interface Order {
  provider: string
  country: string
  reason: string
  actor: string
}

/** Keeps new orders away from a provider; what it was given before is followed up all the same. */
export async function pauseProvider(db: Db, clock: Clock, order: Order): Promise<void> {
  checkProvider(order)
  const { provider, country, actor } = order
  const since = clock.now()
  await db.transaction(async (tx) => {
    await insertPause(tx, { provider, country, reason: order.reason, since })
    const details = { provider, country, reason: order.reason }
    await recordAudit(tx, { at: since, actor, action: 'provider.pause', details })
  })
}

/** Lets orders through again. */
export async function resumeProvider(
  db: Db,
  clock: Clock,
  order: Omit<Order, 'reason'>,
): Promise<void> {
  checkProvider(order)
  const { provider, country, actor } = order
  await db.transaction(async (tx) => {
    if (!(await deletePause(tx, provider, country)))
      throw new Refusal(
        'not_found',
        reason('{provider} {country} is not paused', { provider, country }),
      )
    const details = { provider, country }
    await recordAudit(tx, { at: clock.now(), actor, action: 'provider.resume', details })
  })
}

function checkProvider({ provider, country }: { provider: string; country: string }): void {
  if (!services.some((one) => one.provider === provider && one.country === country))
    throw new Refusal(
      'not_found',
      reason('There is no provider {provider} in {country}', { provider, country }),
    )
}

import { cached } from '#base/kit/cached.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Db, DbParts } from '#data/db/db.ts'
import { services } from './services.ts'
import { type Closure, deleteClosure, insertClosure, readClosures } from './store.ts'

/** What is closed for maintenance now. */
export interface Maintenance {
  /** Whether the whole interface is. */
  isClosed: boolean
  /** The codes of all services that take no new payments. */
  closedServices: ReadonlySet<string>
  closures: Closure[]
}

/** Returns a reader of what is closed. What it read is cached for half a second. */
export function watchMaintenance(db: Db): () => Promise<Maintenance> {
  const read = cached(500, async (_key: 'now') => maintenanceOf(await readClosures(db)))
  return () => read('now')
}

function maintenanceOf(closures: Closure[]): Maintenance {
  return {
    isClosed: closures.some(({ scope }) => scope === 'all'),
    closedServices: new Set(closures.flatMap(({ scope }) => codesOf.get(scope) ?? [])),
    closures,
  }
}

/** The services that each scope covers. */
const codesOf = new Map<string, string[]>([
  ['all', services.map(({ code }) => code)],
  ['payments', services.map(({ code }) => code)],
])
for (const { code, provider, country } of services) {
  codesOf.set(code, [code])
  for (const scope of [country, `${provider}_${country}`])
    codesOf.set(scope, [...(codesOf.get(scope) ?? []), code])
}

/** Everything that can be closed: all, payments, countries, wallets in countries, services. */
export const scopes: readonly string[] = [...codesOf.keys()].toSorted(
  (one, other) => placeOf(one) - placeOf(other) || one.localeCompare(other),
)

function placeOf(scope: string): number {
  return scope === 'all' ? -2 : scope === 'payments' ? -1 : scope.split('_').length
}

/** What closes a service, or with null the whole interface: the widest scope. */
export function closureOf({ closures }: Maintenance, code: string | null): Closure | undefined {
  return closures
    .filter(({ scope }) => (code === null ? scope === 'all' : codesOf.get(scope)?.includes(code)))
    .toSorted((one, other) => placeOf(one.scope) - placeOf(other.scope))[0]
}

/** The refusal of a request while something is closed: what is, and until when. */
export function closedRefusal(first: Reason, closure: Closure | undefined): Refusal {
  const { notice = null, until = null } = closure ?? {}
  return new Refusal(
    'under_maintenance',
    first,
    ...(notice === null ? [] : [{ text: notice, values: {} }]),
    ...(until === null ? [] : [reason('It is planned until {until}', { until: isoOf(until) })]),
  )
}

function isoOf(time: Date): string {
  return time.toISOString().replace('.000Z', 'Z')
}

const retryAfterLeastS = 60

/** In how many seconds it is worth trying again: at the planned end, or in a minute. */
export function retryAfterOf(closure: Closure | undefined, now: Date): number {
  const leftMs = (closure?.until?.getTime() ?? 0) - now.getTime()
  return Math.max(retryAfterLeastS, Math.ceil(leftMs / 1000))
}

export interface MaintenanceOrder {
  /** 'all', 'payments', a country, a wallet in a country, or a service code. */
  scope: string
  reason: string
  actor: string
  /** When it is planned to end. It ends by hand all the same. */
  until?: Date | null
  /** What merchants and payers are told. */
  notice?: string | null
}

const noticeMax = 300

/** Closes something for new payments, or the whole interface, until it is opened again. */
export async function startMaintenance(
  { db, clock }: DbParts,
  order: MaintenanceOrder,
): Promise<void> {
  const { scope, actor, until = null } = order
  const since = clock.now()
  checkClosing(order, since)
  const notice = oneLine(order.notice ?? '', noticeMax) || null
  await db.transaction(async (tx) => {
    await insertClosure(tx, { scope, reason: order.reason, since, until, notice })
    const details = {
      scope,
      reason: order.reason,
      ...(until === null ? {} : { until: isoOf(until) }),
      ...(notice === null ? {} : { notice }),
    }
    await recordAudit(tx, { at: since, actor, action: 'maintenance.on', details })
  })
}

/** Opens something again. */
export async function endMaintenance(
  { db, clock }: DbParts,
  { scope, actor }: Pick<MaintenanceOrder, 'scope' | 'actor'>,
): Promise<void> {
  checkScope(scope)
  await db.transaction(async (tx) => {
    if (!(await deleteClosure(tx, scope)))
      throw new Refusal('not_found', reason('{scope} is not in maintenance', { scope }))
    const at = clock.now()
    await recordAudit(tx, { at, actor, action: 'maintenance.off', details: { scope } })
  })
}

/** Refuses a closing that cannot be. */
export function checkClosing(
  { scope, until = null }: Pick<MaintenanceOrder, 'scope' | 'until'>,
  now: Date,
): void {
  checkScope(scope)
  if (isOver({ until }, now))
    throw new Refusal(
      'validation_failed',
      reason('The planned end must be in the future', {}, 'until'),
    )
}

/** Whether the end that was planned has passed: nothing opens by itself. */
export function isOver({ until }: Pick<Closure, 'until'>, now: Date): boolean {
  return until !== null && until <= now
}

/** How many services a scope covers. */
export function countServices(scope: string): number {
  return codesOf.get(scope)?.length ?? 0
}

function checkScope(scope: string): void {
  if (!codesOf.has(scope))
    throw new Refusal('not_found', reason('There is no service {code}', { code: scope }, 'scope'))
}

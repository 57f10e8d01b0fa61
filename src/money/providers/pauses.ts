import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { DbParts } from '#data/db/db.ts'
import { services } from '#merchants/catalog/services.ts'
import { deletePause, insertPause } from './pause-store.ts'

export interface PauseRequest {
  provider: string
  country: string
  reason: string
  actor: string
}

/** What operators do with new orders to providers. */
export type Pauses = ReturnType<typeof openPauses>

/** Opens these verbs, which every process heeds within half a second. */
export function openPauses(parts: DbParts) {
  return {
    begin: (order: PauseRequest) => pauseProvider(parts, order),
    end: (order: Omit<PauseRequest, 'reason'>) => resumeProvider(parts, order),
  }
}

/** Stops new orders to a provider; queries about earlier orders go on. */
export async function pauseProvider({ db, clock }: DbParts, request: PauseRequest): Promise<void> {
  checkProvider(request)
  const { provider, country, actor } = request
  const since = clock.now()
  await db.transaction(async (tx) => {
    await insertPause(tx, { provider, country, reason: request.reason, since })
    const details = { provider, country, reason: request.reason }
    await recordAudit(tx, { at: since, actor, action: 'provider.pause', details })
  })
}

/** Ends the pause of a provider; throws a Refusal when it is not paused. */
export async function resumeProvider(
  { db, clock }: DbParts,
  request: Omit<PauseRequest, 'reason'>,
): Promise<void> {
  checkProvider(request)
  const { provider, country, actor } = request
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

/** Refuses a provider that no service is of. */
export function checkProvider({ provider, country }: { provider: string; country: string }): void {
  if (!services.some((one) => one.provider === provider && one.country === country))
    throw new Refusal(
      'not_found',
      reason('There is no provider {provider} in {country}', { provider, country }),
    )
}

import { openRecon, type Recon } from '#backoffice/recon/open.ts'
import { readConfig } from '#base/config/config.ts'
import { after, type Clock, systemClock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import type { Db } from '#data/db/db.ts'
import { type Domain, openDomain } from '#domain.ts'
import { sandboxBindings } from '#money/providers/bindings.ts'
import { openProviders } from '#money/providers/open.ts'

/** A clock that shows a moment now, and goes on. */
export function clockFrom(moment: Date): Clock {
  const aheadMs = moment.getTime() - systemClock.now().getTime()
  return { now: () => after(systemClock.now(), aheadMs) }
}

/**
 * A gateway whose providers answer nothing, and what opens its reconciliation over a database: that
 * has a clock of its own, later than all that the files of generated months tell.
 */
export function openMonths(
  db: Db,
  { clock, afterwards, approvalAbove }: { clock: Clock; afterwards: Clock; approvalAbove: string },
): { domain: Domain; reconOf: (own: Db) => Recon } {
  const log = openLog('silent')
  const bindings = sandboxBindings('http://127.0.0.1:9')
  const domain = openDomain({
    config: readConfig({ MODE: 'sandbox', APPROVAL_ABOVE: approvalAbove }),
    db,
    clock,
    log,
    providers: openProviders({ bindings, log, isPaused: () => false }),
    publicUrl: () => '',
    payUrl: () => '',
  })
  const { transactions, approvals } = domain
  const { pseudonymOf } = transactions.context
  const reconOf = (own: Db) =>
    openRecon({ db: own, clock: afterwards, log, transactions, approvals, pseudonymOf })
  return { domain, reconOf }
}

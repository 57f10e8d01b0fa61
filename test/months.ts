import { readConfig } from '../src/config/config.ts'
import type { Db } from '../src/db/db.ts'
import type { Domain } from '../src/domain.ts'
import { openDomain } from '../src/domain.ts'
import type { Clock } from '../src/kit/clock.ts'
import { after, systemClock as clock } from '../src/kit/clock.ts'
import { openLog } from '../src/log/log.ts'
import { sandboxBindings } from '../src/providers/bindings.ts'
import { openProviders } from '../src/providers/open.ts'
import type { Recon } from '../src/recon/open.ts'
import { openRecon } from '../src/recon/open.ts'

/** Later than all that the files of generated months tell. */
export const afterMonths: Clock = { now: () => after(clock.now(), 4 * 86_400_000) }

/** A gateway whose providers answer nothing, and what opens its reconciliation over a database. */
export function openMonths(db: Db): { domain: Domain; reconOf: (own: Db) => Recon } {
  const log = openLog('silent')
  const bindings = sandboxBindings('http://127.0.0.1:9')
  const domain = openDomain({
    config: readConfig({ MODE: 'sandbox', APPROVAL_ABOVE: 'off' }),
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
    openRecon({ db: own, clock: afterMonths, log, transactions, approvals, pseudonymOf })
  return { domain, reconOf }
}

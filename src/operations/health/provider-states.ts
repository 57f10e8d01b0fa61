import { after } from '#base/kit/clock.ts'
import type { DbParts } from '#data/db/db.ts'
import { type Service, services } from '#merchants/catalog/services.ts'
import { stateOf } from '#money/float/state.ts'
import { readFloats } from '#money/float/store.ts'
import { nameOf } from '#money/providers/bindings.ts'
import type { Providers } from '#money/providers/open.ts'
import { readPauses } from '#money/providers/pause-store.ts'
import { readReports } from '#money/providers/report-store.ts'
import { combineReports, reportValidMs } from '#money/providers/reports.ts'
import { readOpenOrders, readRecentOutcomes } from '#money/transactions/provider-figures-store.ts'

const hourMs = 3_600_000

/** Every provider with its figures, and the processes that reported. */
export type ProviderStates = Awaited<ReturnType<typeof readProviderStates>>

interface ProviderParts extends DbParts {
  providers: Pick<Providers, 'find'>
}

/** Every provider as payers meet it now, from the reports of all processes and the orders. */
export async function readProviderStates({ db, clock, providers: bound }: ProviderParts) {
  const now = clock.now()
  const [open, outcomes, pauses, reports, floats] = await Promise.all([
    readOpenOrders(db),
    readRecentOutcomes(db, after(now, -hourMs)),
    readPauses(db),
    readReports(db, after(now, -reportValidMs)),
    readFloats(db),
  ])
  const providers = allProviders().map(({ provider, country }) => {
    const name = nameOf({ provider, country })
    const orders = rowOf(open, name)
    const { succeeded = 0, failed = 0, failedOutside = 0 } = rowOf(outcomes, name) ?? {}
    const judged = succeeded + failed
    const pause = rowOf(pauses, name)
    const float = rowOf(floats, name)
    return {
      provider,
      country,
      /** Whether this installation has a connector for it; one without takes no orders. */
      isConfigured: bound.find({ provider, country }) !== undefined,
      isPaused: pause !== undefined,
      pausedSince: pause?.since ?? null,
      pauseReason: pause?.reason ?? null,
      ...combineReports(reports, name),
      succeeded,
      failed,
      failedOutside,
      successRate: judged === 0 ? null : succeeded / judged,
      open: orders?.open ?? 0,
      /** Those of the open ones that wait for a person, and are not asked about. */
      parked: orders?.parked ?? 0,
      oldestOpenAt: orders?.oldestAt ?? null,
      /** What it holds for us, in francs; null: not known. */
      float: float?.balance ?? null,
      /** Why it last told nothing; null: it did. */
      floatProblem: float?.problem ?? null,
      floatState: float === undefined ? ('unknown' as const) : stateOf(float, now),
    }
  })
  const processes = reports.map(({ host, pid, role, at }) => ({ host, pid, role, at }))
  return { providers, processes }
}

function rowOf<Row extends { provider: string; country: string }>(rows: Row[], name: string) {
  return rows.find((row) => nameOf(row) === name)
}

function allProviders(): Pick<Service, 'provider' | 'country'>[] {
  const seen = new Map(
    services.map(({ provider, country }) => [`${provider} ${country}`, { provider, country }]),
  )
  return [...seen.values()]
}

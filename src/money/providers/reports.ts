import { hostname } from 'node:os'
import { after, monotonicMs } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import type { Log } from '#base/log/log.ts'
import type { DbParts } from '#data/db/db.ts'
import type { Provider, Providers } from './open.ts'
import { percentile95, sumOfDurations } from './recent-calls.ts'
import {
  deleteOldReports,
  deleteReport,
  type ProcessReport,
  type ProviderReport,
  upsertReport,
} from './report-store.ts'

interface ReporterParts extends DbParts {
  log: Log
  providers: Pick<Providers, 'all'>
  role: ProcessReport['role']
}

const lookMs = 500
const renewMs = 5000
/** A report that was not renewed for so long belongs to a process that has died or hangs. */
export const reportValidMs = 20_000
const deadKeptMs = 3_600_000

/**
 * Writes what this process knows of its providers to the database, for operators: within a second
 * of each change of a circuit breaker, else every five seconds.
 */
export function startReports({ db, clock, log, providers, role }: ReporterParts) {
  const id = newId(clock.now())
  let writtenMs = Number.NEGATIVE_INFINITY
  let writtenStates = ''
  let writing = Promise.resolve()

  async function write(): Promise<void> {
    const at = clock.now()
    const reports = providers.all().map((provider) => reportOf(provider, at))
    const states = reports.map(({ state }) => state).join()
    if (states === writtenStates && monotonicMs() - writtenMs < renewMs) return
    if (writtenStates === '') await deleteOldReports(db, after(at, -deadKeptMs))
    const host = hostname()
    await upsertReport(db, { id, host, pid: process.pid, role, at, providers: reports })
    writtenStates = states
    writtenMs = monotonicMs()
  }

  let isWriting = false
  const look = () => {
    if (isWriting) return
    isWriting = true
    writing = write()
      .catch((problem: unknown) => log.warn({ err: problem }, 'a report could not be written'))
      .finally(() => {
        isWriting = false
      })
  }
  look()
  const timer = setInterval(look, lookMs).unref()
  return {
    /** Takes the report back: this process no longer serves. */
    stop: async () => {
      clearInterval(timer)
      await writing
      await deleteReport(db, id).catch(() => {})
    },
  }
}

function reportOf(provider: Provider, now: Date): ProviderReport {
  const { state, stateMs, calls } = provider.status()
  const since = after(now, -Math.round(stateMs)).toISOString()
  return { name: provider.name, state, since, durations: calls.durations }
}

/** A circuit breaker as payers meet it, over the processes that take their orders. */
export interface BreakerState {
  /** `unknown`: no process reports. `half_open`: one order is let through to try the provider. */
  state: 'closed' | 'half_open' | 'open' | 'unknown'
  /** Since when it is open anywhere, else since when it is closed everywhere. */
  since: Date | null
  /** How many processes take orders, and in how many of them it is not closed. */
  processes: number
  openIn: number
}

/** What the processes report of one provider, taken together. */
export function combineReports(reports: ProcessReport[], name: string) {
  const known = reports.flatMap(({ role, providers }) =>
    providers.filter((one) => one.name === name).map((one) => ({ ...one, role })),
  )
  const p95Ms = percentile95(sumOfDurations(known))
  // A worker retries what others have begun: no payer waits for it.
  return { breaker: breakerOf(known.filter(({ role }) => role !== 'worker')), p95Ms }
}

function breakerOf(known: ProviderReport[]): BreakerState {
  const open = known.filter(({ state }) => state !== 'up')
  const processes = known.length
  const openIn = open.length
  if (processes === 0) return { state: 'unknown', since: null, processes, openIn }
  const times = (openIn > 0 ? open : known).map(({ since }) => Date.parse(since))
  if (openIn === 0)
    return { state: 'closed', since: new Date(Math.max(...times)), processes, openIn }
  const state = open.some((one) => one.state === 'down') ? 'open' : 'half_open'
  return { state, since: new Date(Math.min(...times)), processes, openIn }
}

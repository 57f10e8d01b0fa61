import type { Db } from '#data/db/db.ts'
import type { ProviderStatus } from './gate.ts'

/** What a process knows of one provider. */
export interface ProviderReport {
  /** `WALLETA_SN`. */
  name: string
  state: ProviderStatus['state']
  /** When it came up, or went down; ISO 8601. */
  since: string
  /** The number of calls in each bucket of durations, over the last five minutes. */
  durations: number[]
}

export interface ProcessReport {
  id: string
  host: string
  pid: number
  role: 'all' | 'api' | 'worker'
  at: Date
  providers: ProviderReport[]
}

/** Writes or renews the report of a process. */
export async function upsertReport(db: Db, report: ProcessReport): Promise<void> {
  const { id, host, pid, role, at } = report
  await db`
    insert into process_reports (id, host, pid, role, at, providers)
    values (${id}, ${host}, ${pid}, ${role}, ${at}, ${JSON.stringify(report.providers)}::jsonb)
    on conflict (id) do update set at = excluded.at, providers = excluded.providers`
}

/** The reports that were renewed since a time. */
export function readReports(db: Db, since: Date): Promise<ProcessReport[]> {
  return db<ProcessReport>`
    select id, host, pid, role, at, providers from process_reports
    where at >= ${since} order by host, pid`
}

/** Deletes the report of a process that stops. */
export async function deleteReport(db: Db, id: string): Promise<void> {
  await db`delete from process_reports where id = ${id}`
}

/** Deletes the reports of processes that have died. */
export async function deleteOldReports(db: Db, before: Date): Promise<void> {
  await db`delete from process_reports where at < ${before}`
}

import { Problem } from '../kit/problem.ts'
import type { ReplicationSession } from './replication.ts'

/** The slot by which the server keeps the log until the archive has it. */
export const slotName = 'passerelle_backup'

/** What a backup must know of the server. */
export interface Source {
  systemId: string
  timeline: number
  /** Up to where the log is written. */
  position: string
  segmentBytes: number
  serverVersion: number
  database: string
  login: string
}

/** Asks the server who it is. */
export async function readSource(session: ReplicationSession): Promise<Source> {
  const [identity] = await session.rows('IDENTIFY_SYSTEM')
  const [row] = await session.rows(
    `select current_setting('server_version_num') as version, current_user as login,
      current_database() as database, (
        select setting from pg_settings where name = 'wal_segment_size') as "segmentBytes",
      current_setting('wal_level') as level`,
  )
  if (row?.level === 'minimal')
    throw new Problem('The server has wal_level=minimal: a backup needs replica, the default.')
  return {
    systemId: identity?.systemid ?? '',
    timeline: Number(identity?.timeline),
    position: identity?.xlogpos ?? '',
    segmentBytes: Number(row?.segmentBytes),
    serverVersion: Number(row?.version),
    database: row?.database ?? '',
    login: row?.login ?? '',
  }
}

/** The time by the server's clock. */
export async function readServerTime(session: ReplicationSession): Promise<string> {
  const [row] = await session.rows(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`,
  )
  return row?.now ?? ''
}

/** Takes a lock until the session ends; false: another session has it. */
export async function tryLock(session: ReplicationSession, name: string): Promise<boolean> {
  // A name of our own, without quotes in it.
  const [row] = await session.rows(
    `select pg_try_advisory_lock(hashtextextended('${name}', 0)) as taken`,
  )
  return row?.taken === 'true' || row?.taken === 't'
}

export interface Slot {
  /** From where on the server keeps the log; null: it keeps nothing, or no longer. */
  restartLsn: string | null
  isActive: boolean
  /** `lost`: the server had to remove what the archive had not got yet. */
  state: string
}

/** The slot of the archive; undefined: there is none. */
export async function findSlot(session: ReplicationSession): Promise<Slot | undefined> {
  const [row] = await session.rows(
    `select restart_lsn as "restartLsn", active, coalesce(wal_status, 'none') as state
     from pg_replication_slots where slot_name = '${slotName}'`,
  )
  if (row === undefined) return undefined
  const isActive = row.active === 'true' || row.active === 't'
  return { restartLsn: row.restartLsn ?? null, isActive, state: row.state ?? 'none' }
}

export async function createSlot(session: ReplicationSession): Promise<void> {
  await session.rows(`CREATE_REPLICATION_SLOT ${slotName} PHYSICAL (RESERVE_WAL true)`)
}

export async function dropSlot(session: ReplicationSession): Promise<void> {
  await session.rows(`DROP_REPLICATION_SLOT ${slotName}`)
}

/** A slot that lasts as long as the session: what a backup needs stays until it has it. */
export async function holdLog(session: ReplicationSession, name: string): Promise<void> {
  await session.rows(`CREATE_REPLICATION_SLOT ${name} TEMPORARY PHYSICAL (RESERVE_WAL true)`)
}

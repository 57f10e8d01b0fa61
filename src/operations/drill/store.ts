import { newId } from '#base/kit/ids.ts'
import { columns, type Db, json } from '#data/db/db.ts'

/** A restore that was tried, and what it came to. */
export interface Drill {
  startedAt: Date
  endedAt: Date
  /** The moment that was restored; null: the newest state. */
  moment: Date | null
  /** When the backup was made that was restored; null: it could not be. */
  backupAt: Date | null
  /** When the last transaction was made that was there; null: there was none. */
  lastTransactionAt: Date | null
  /** What was wrong, in sentences; empty: all that was asked for could be restored, and holds. */
  problems: string[]
}

/** What is known of the archive of this database. */
export interface ArchiveState {
  /** Whether the server hands its log over. */
  isOn: boolean
  /** When it last handed a file of it over, or began to serve without one; null: it does not. */
  archivedAt: Date | null
  lastFile: string | null
  segmentBytes: number
  /** The server's version, as its programs are found by. */
  major: string
  /** The file that it could not hand over since, and when it last tried; null: there is none. */
  failedFile: string | null
  failedAt: Date | null
  /** The last drill that restored the newest state; undefined: there was none. */
  drill: Drill | undefined
}

type Archiver = Omit<ArchiveState, 'drill'>

/** Reads what the server tells of its archive, and the last drill. */
export async function readArchiveState(db: Db): Promise<ArchiveState> {
  const archiver = await readArchiver(db)
  const [drill] = await db<Drill>`
    select ${columns([
      'started_at',
      'ended_at',
      'moment',
      'backup_at',
      'last_transaction_at',
      'problems',
    ])} from drills where moment is null order by id desc limit 1`
  return { ...archiver, drill }
}

/** What the server tells of its archive: anybody may ask. */
export async function readArchiver(db: Db): Promise<Archiver> {
  const [row] = await db<Archiver>`
    select is_on as "isOn", last_archived_wal as "lastFile", segment_bytes as "segmentBytes",
      major,
      case when is_on then coalesce(last_archived_time, pg_postmaster_start_time()) end
        as "archivedAt",
      case when is_failing then last_failed_wal end as "failedFile",
      case when is_failing then last_failed_time end as "failedAt"
    from pg_stat_archiver, (
      select (select setting from pg_settings where name = 'archive_mode') <> 'off' as is_on,
        (select setting::bigint from pg_settings where name = 'wal_segment_size') as segment_bytes,
        (current_setting('server_version_num')::int / 10000)::text as major
    ) settings, lateral (
      select is_on and last_failed_time > coalesce(last_archived_time, '-infinity') as is_failing
    ) state`
  if (row === undefined) throw new Error('PostgreSQL tells nothing of its archive')
  return row
}

/** Keeps what a drill came to. */
export async function insertDrill(db: Db, drill: Drill): Promise<void> {
  const { startedAt, endedAt, moment, backupAt, lastTransactionAt, problems } = drill
  await db`
    insert into drills (id, started_at, ended_at, moment, backup_at, last_transaction_at, problems)
    values (${newId(endedAt)}, ${startedAt}, ${endedAt}, ${moment}, ${backupAt},
      ${lastTransactionAt}, ${json(problems)})`
}

import { resolve } from 'node:path'
import { isExposedDatabase, readDatabaseUrl } from './database-url.ts'
import { readWhole } from './numbers.ts'
import type { ReadSetting, SettingName } from './settings.ts'

/** The settings of backups. */
export interface BackupConfig {
  /** The folder of the archive that a worker keeps; null: none is kept. */
  backupDir: string | null
  /** Null: derived from SECRET_KEY. */
  backupKey: Buffer | null
  /** A login that may replicate, where that of DATABASE_URL may not. */
  backupUrl: string | null
  /** How long after a base backup the next one is made. */
  backupEveryHours: number
  /** How far back every moment can be restored. */
  backupKeepDays: number
  /** The folder of PostgreSQL's programs, for restores; null: found by their version. */
  pgBin: string | null
}

/** Reads the settings of backups. */
export function readBackup(text: ReadSetting, refuse: (sentence: string) => void): BackupConfig {
  const whole = (name: SettingName, otherwise: number, range: [number, number]) =>
    readWhole(name, { value: text(name), otherwise, range }, refuse)
  const [folder, url, programs] = [text('BACKUP_DIR'), text('BACKUP_URL'), text('PG_BIN')]
  return {
    backupDir: folder === undefined ? null : resolve(folder),
    backupKey: readKey(text('BACKUP_KEY'), refuse),
    backupUrl: readDatabaseUrl(url, (sentence) =>
      refuse(sentence.replaceAll('DATABASE_URL', 'BACKUP_URL')),
    ),
    backupEveryHours: whole('BACKUP_EVERY', 24, [1, 168]),
    backupKeepDays: whole('BACKUP_KEEP', 7, [1, 400]),
    pgBin: programs === undefined ? null : resolve(programs),
  }
}

/** What live mode does not allow of them. */
export function backupLiveProblems({ backupUrl }: BackupConfig): string[] {
  return backupUrl !== null && isExposedDatabase(backupUrl)
    ? ['MODE=live needs sslmode=verify-full in a BACKUP_URL on another machine.']
    : []
}

function readKey(value: string | undefined, refuse: (sentence: string) => void): Buffer | null {
  if (value === undefined) return null
  const key = Buffer.from(value, 'base64')
  if (key.length < 32)
    refuse('BACKUP_KEY must be at least 32 bytes in base64, for example: openssl rand -base64 32')
  return key
}

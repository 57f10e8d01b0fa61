import type { Config } from '../config/config.ts'
import { keyFor } from '../sealing/seal.ts'

/** The key of an archive: from BACKUP_KEY, or without one from SECRET_KEY. */
export function backupKeyOf({ backupKey, secretKey }: Config): Buffer {
  return keyFor(backupKey ?? secretKey.sealing, 'backup')
}

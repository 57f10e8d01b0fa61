import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../log/log.ts'
import type { ExportOrder, MakeFile } from './export.ts'

/** What the verbs of this room share. */
export interface ExportContext {
  db: Db
  clock: Clock
  log: Log
  /** Makes the file of each kind. */
  makers: Record<ExportOrder['kind'], MakeFile>
  /** The base address of links in mails; final only once the gateway listens. */
  publicUrl(): string
  /** Else mails are kept and not sent. */
  hasSmtp: boolean
}

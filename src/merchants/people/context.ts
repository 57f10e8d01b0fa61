import type { Log } from '#base/log/log.ts'
import type { SecretKey } from '#base/sealing/seal.ts'
import type { DbParts } from '#data/db/db.ts'
import type { Tries } from './tries/tries.ts'

export interface PeopleParts extends DbParts {
  log: Log
  secretKey: SecretKey
  /** The base address of links in mails; final only once the gateway listens. */
  publicUrl(): string
  /** Else mails are kept and not sent. */
  hasSmtp: boolean
}

/** What the verbs of this room share. */
export interface PeopleContext extends PeopleParts {
  tries: Tries
}

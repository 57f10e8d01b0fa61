import type { Config } from '#base/config/config.ts'
import type { Log } from '#base/log/log.ts'
import { openAudit } from '#data/db/audit.ts'
import type { DbParts } from '#data/db/db.ts'
import { openRequests } from '#edge/requests/open.ts'
import { openCatalog } from '#merchants/catalog/open.ts'
import { openCells } from '#merchants/cells/open.ts'
import { openClients } from '#merchants/clients/open.ts'
import { openMails } from '#merchants/mail/open.ts'
import { openPeople } from '#merchants/people/open.ts'
import { openLedger } from '#money/ledger/open.ts'
import { openLimits } from '#money/limits/open.ts'
import { openPauses } from '#money/providers/pauses.ts'
import { openDrills } from '#operations/drill/open.ts'
import { openSecrets } from '#operations/secrets/open.ts'
import { openProofs } from '#operations/verify/open.ts'

export interface RecordParts extends DbParts {
  config: Pick<Config, 'mode' | 'secretKey' | 'smtpUrl' | 'cell'>
  log: Log
  /** The base address of links in mails; final only once the gateway listens. */
  publicUrl(): string
}

/** The rooms that ask nobody outside: what most commands need, without loading the others. */
export type Records = ReturnType<typeof openRecords>

/** Opens these rooms. */
export function openRecords({ config, ...parts }: RecordParts) {
  const all = { ...parts, mode: config.mode, secretKey: config.secretKey, cell: config.cell }
  return {
    audit: openAudit(all),
    catalog: openCatalog(all),
    cells: openCells(all),
    mails: openMails(all),
    clients: openClients(all),
    ledger: openLedger(all),
    people: openPeople({ ...all, hasSmtp: config.smtpUrl !== null }),
    limits: openLimits(all),
    pauses: openPauses(all),
    requests: openRequests(all),
    secrets: openSecrets(all),
    proofs: openProofs(all),
    drills: openDrills(all),
  }
}

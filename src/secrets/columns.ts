import { sealedProposals } from '../approvals/sealed-store.ts'
import { sealedWebhookSecrets } from '../clients/sealed-store.ts'
import type { Db } from '../db/db.ts'
import { sealedAnswers } from '../http/sealed-store.ts'
import { sealedFactors, sealedMessages } from '../people/sealed-store.ts'
import type { SealedColumn } from '../sealing/sealed-column.ts'
import { sealedTokens } from '../transactions/sealed-store.ts'
import { sealedBodies } from '../webhooks/sealed-store.ts'
import { sealedKeptKeys } from './store.ts'

/** Everything in the database that is sealed with a key derived from SECRET_KEY. */
export const sealedColumns: SealedColumn<Db>[] = [
  sealedWebhookSecrets,
  sealedFactors,
  sealedKeptKeys,
  sealedMessages,
  sealedAnswers,
  sealedTokens,
  sealedProposals,
  sealedBodies,
]

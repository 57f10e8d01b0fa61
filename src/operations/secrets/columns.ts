import { sealedProposals } from '#backoffice/approvals/sealed-store.ts'
import { sealedBodies } from '#backoffice/webhooks/sealed-store.ts'
import type { SealedColumn } from '#base/sealing/sealed-column.ts'
import type { Db } from '#data/db/db.ts'
import { sealedAnswers } from '#edge/idempotency/sealed-store.ts'
import { sealedWebhookSecrets } from '#merchants/clients/sealed-store.ts'
import { sealedFactors } from '#merchants/people/factors/sealed-store.ts'
import { sealedMessages } from '#merchants/people/sessions/sealed-store.ts'
import { sealedTokens } from '#money/transactions/sealed-store.ts'
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

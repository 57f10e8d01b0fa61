import type { Service } from '../catalog/services.ts'
import type { Tx } from '../kit/db.ts'
import { newId } from '../kit/ids.ts'
import { post } from '../ledger/post.ts'
import { hold } from '../ledger/postings.ts'
import {
  claimExternalIds,
  findByExternalIds,
  insertTransactions,
  releaseExternalIds,
} from './store.ts'
import type { Transaction } from './transaction.ts'
import { freshAttempt } from './transaction.ts'

/** What a merchant wants to happen, checked and priced. */
export interface Intent {
  clientId: number
  keyId: string
  externalId: string
  service: Service
  operation: 'CASHOUT' | 'CASHIN' | 'AIRTIME'
  amount: number
  fee: number
  phone: string
  payeeName: string
  subMerchantId: string | null
  callbackUrl: string
  successUrl: string
  failureUrl: string
}

/** What became of an intent: recorded, or refused without a trace. */
export type Recorded =
  | { kind: 'recorded'; transaction: Transaction }
  | { kind: 'duplicate'; existing: Transaction | undefined }
  | { kind: 'insufficient_funds' }

/** An intent and the transaction it would become. */
export interface Draft {
  intent: Intent
  transaction: Transaction
}

/**
 * Records intents and holds the money that debits need: together or not at all. Drafts carry their
 * ids already, so a group whose commit was lost can be run again and finds its own records.
 */
export async function recordIntents(tx: Tx, drafts: Draft[], now: Date): Promise<Recorded[]> {
  const claims = drafts.map(({ intent: { clientId, externalId }, transaction: { id } }) => ({
    clientId,
    externalId,
    id,
  }))
  const claimed = await claimExternalIds(tx, claims)
  const fresh = drafts.filter(({ transaction }) => claimed.has(transaction.id))
  const poor = await holdMoney(tx, fresh, now)
  const kept = fresh.filter(({ transaction }) => !poor.has(transaction.id))
  if (poor.size > 0)
    await releaseExternalIds(
      tx,
      claims.filter(({ id }) => poor.has(id)),
    )
  if (kept.length > 0)
    await insertTransactions(
      tx,
      kept.map(({ transaction }) => transaction),
    )
  const used = drafts.filter(({ transaction }) => !claimed.has(transaction.id))
  const existing = used.length === 0 ? [] : await findByExternalIds(tx, used.map(idOf))
  // Who wanted the id of one that cannot pay is refused like it: nothing has used that id.
  const unpaid = new Set(fresh.filter(({ transaction }) => poor.has(transaction.id)).map(nameOf))
  return drafts.map(({ intent, transaction }): Recorded => {
    if (unpaid.has(nameOf({ intent }))) return { kind: 'insufficient_funds' }
    if (claimed.has(transaction.id)) return { kind: 'recorded', transaction }
    const found = existing.find(
      (one) => one.clientId === intent.clientId && one.externalId === intent.externalId,
    )
    return found?.id === transaction.id
      ? { kind: 'recorded', transaction: found }
      : { kind: 'duplicate', existing: found }
  })
}

/** The transaction an intent becomes when it is recorded. */
export function draft(intent: Intent, now: Date): Draft {
  const { service, ...rest } = intent
  const transaction: Transaction = {
    ...rest,
    id: newId(now),
    serviceCode: service.code,
    reason: null,
    originalId: null,
    holdId: null,
    balanceBefore: null,
    balanceAfter: null,
    ...freshAttempt(now),
  }
  return { intent, transaction }
}

/** Holds amount and fee of debits; answers with the transactions whose merchant cannot pay. */
async function holdMoney(tx: Tx, drafts: Draft[], now: Date): Promise<Set<string>> {
  const debits = drafts.filter(({ intent }) => intent.service.isDebit)
  const holds = debits.map(({ transaction: { clientId, id, amount, fee } }) =>
    hold({ clientId, id: newId(now), ref: id }, amount + fee),
  )
  const posted = await post(tx, holds, now)
  const poor = new Set<string>()
  debits.forEach(({ transaction }, index) => {
    const answer = posted[index]
    if (!answer?.isPosted) poor.add(transaction.id)
    else {
      transaction.holdId = holds[index]?.id ?? null
      transaction.balanceBefore = answer.available.before
      transaction.balanceAfter = answer.available.after
    }
  })
  return poor
}

function idOf({ intent }: Draft): { clientId: number; externalId: string } {
  return { clientId: intent.clientId, externalId: intent.externalId }
}

/** The id that a draft wants, and that only one can have. */
function nameOf({ intent }: Pick<Draft, 'intent'>): string {
  return `${intent.clientId} ${intent.externalId}`
}

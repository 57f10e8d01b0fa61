import type { Service } from '../catalog/services.ts'
import type { Tx } from '../db/db.ts'
import { newId } from '../kit/ids.ts'
import { post } from '../ledger/post.ts'
import { hold } from '../ledger/postings.ts'
import {
  claimExternalIds,
  findByExternalIds,
  insertTransactions,
  lockTransactions,
  releaseExternalIds,
} from './store.ts'
import type { Transaction } from './transaction.ts'
import { freshAttempt } from './transaction.ts'

/** What a merchant wants to happen, checked and priced. */
export interface Intent {
  clientId: number
  keyId: string
  externalId: string | null
  service: Service
  operation: Exclude<Transaction['operation'], 'REFUND'>
  amount: number
  fee: number
  phone: string
  payeeName: string
  subMerchantId?: string | null
  linkId?: string
  billReference?: string | null
  customData?: string | null
  callbackUrl: string | null
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
  const claims = drafts.flatMap(({ intent: { clientId, externalId }, transaction: { id } }) =>
    externalId === null ? [] : [{ clientId, externalId, id }],
  )
  const isCredits = drafts.every(
    ({ intent }) => intent.externalId !== null && !intent.service.isDebit,
  )
  // Credits wait for nothing but their names, so that all is sent in one breath.
  const [claimed] = await Promise.all([
    claimNames(tx, drafts, claims),
    isCredits ? insertTransactions(tx, drafts.map(transactionOf)) : undefined,
  ])
  const fresh = drafts.filter(({ transaction }) => claimed.has(transaction.id))
  const { poor, made } = await holdMoney(tx, fresh, now)
  for (const id of made) claimed.delete(id)
  const kept = fresh.filter(({ transaction: { id } }) => !poor.has(id) && !made.has(id))
  const unused = claims.filter(({ id }) => poor.has(id))
  if (unused.length > 0) await releaseExternalIds(tx, unused)
  if (kept.length > 0 && !isCredits) await insertTransactions(tx, kept.map(transactionOf))
  const existing = await findExisting(
    tx,
    drafts.filter(({ transaction }) => !claimed.has(transaction.id)),
  )
  // Who wanted the id of one that cannot pay is refused like it: nothing has used that id.
  const unpaid = new Set(fresh.filter(({ transaction }) => poor.has(transaction.id)).map(nameOf))
  return drafts.map((one): Recorded => {
    const { transaction } = one
    if (unpaid.has(nameOf(one))) return { kind: 'insufficient_funds' }
    if (claimed.has(transaction.id)) return { kind: 'recorded', transaction }
    const found = existing.get(nameOf(one))
    return found?.id === transaction.id
      ? { kind: 'recorded', transaction: found }
      : { kind: 'duplicate', existing: found }
  })
}

/** Which drafts are new: theirs is the external id, or they have none and were not made before. */
async function claimNames(
  tx: Tx,
  drafts: Draft[],
  claims: { clientId: number; externalId: string; id: string }[],
): Promise<Set<string>> {
  const claimed = claims.length === 0 ? new Set<string>() : await claimExternalIds(tx, claims)
  const nameless = drafts.filter(({ intent }) => intent.externalId === null)
  if (nameless.length === 0) return claimed
  const made = await lockTransactions(
    tx,
    nameless.map(({ transaction }) => transaction),
  )
  const isMade = new Set(made.map(({ id }) => id))
  for (const { transaction } of nameless)
    if (!isMade.has(transaction.id)) claimed.add(transaction.id)
  return claimed
}

/** The records that have the names of these drafts. */
async function findExisting(tx: Tx, drafts: Draft[]): Promise<Map<string, Transaction>> {
  const named = drafts.flatMap(({ intent: { clientId, externalId } }) =>
    externalId === null ? [] : [{ clientId, externalId }],
  )
  const nameless = drafts.filter(({ intent }) => intent.externalId === null)
  const found = [
    ...(named.length === 0 ? [] : await findByExternalIds(tx, named)),
    ...(nameless.length === 0
      ? []
      : await lockTransactions(
          tx,
          nameless.map(({ transaction }) => transaction),
        )),
  ]
  return new Map(found.map((one) => [nameOf({ intent: one, transaction: one }), one]))
}

/** The transaction an intent becomes when it is recorded. */
export function draft(intent: Intent, now: Date): Draft {
  const { service, ...rest } = intent
  const transaction: Transaction = {
    ...rest,
    subMerchantId: rest.subMerchantId ?? null,
    linkId: rest.linkId ?? null,
    billReference: rest.billReference ?? null,
    customData: rest.customData ?? null,
    id: newId(now),
    serviceCode: service.code,
    reason: null,
    originalId: null,
    holdId: null,
    balanceBefore: null,
    balanceAfter: null,
    ...freshAttempt(now),
    // Nobody but the biller has to act on a bill.
    ...(rest.operation === 'BILL' ? { status: 'PROCESSING' } : {}),
  }
  return { intent, transaction }
}

/**
 * Holds amount and fee of debits. `poor`: transactions whose merchant cannot pay. `made`: those
 * that a run before had recorded, whose lost commit came through while this one waited for the
 * merchant's account.
 */
async function holdMoney(tx: Tx, drafts: Draft[], now: Date) {
  const debits = drafts.filter(({ intent }) => intent.service.isDebit)
  const holds = debits.map(({ transaction: { clientId, id, amount, fee } }) =>
    hold({ clientId, id: newId(now), ref: id }, amount + fee),
  )
  // Whose name was just claimed is new; without a name a run before may have made it.
  const named = new Set(
    debits.flatMap(({ intent, transaction }) => (intent.externalId ? [transaction.id] : [])),
  )
  const posted = await post(tx, holds, now, ({ ref }) => named.has(ref))
  const poor = new Set<string>()
  const made = new Set<string>()
  debits.forEach(({ transaction }, index) => {
    const answer = posted[index]
    if (answer?.isPosted) {
      transaction.holdId = holds[index]?.id ?? null
      transaction.balanceBefore = answer.available.before
      transaction.balanceAfter = answer.available.after
    } else if (answer?.because === 'done_before') made.add(transaction.id)
    else poor.add(transaction.id)
  })
  return { poor, made }
}

function transactionOf({ transaction }: Draft): Transaction {
  return transaction
}

/** The name that a draft wants, and that only one can have. */
function nameOf(one: {
  intent: { clientId: number; externalId: string | null }
  transaction: { id: string }
}): string {
  return `${one.intent.clientId} ${one.intent.externalId ?? one.transaction.id}`
}

import { newId } from '#base/kit/ids.ts'
import type { Refusal } from '#base/kit/refusal.ts'
import type { Tx } from '#data/db/db.ts'
import { type Making, whileHeld } from '#data/db/making.ts'
import type { Service } from '#merchants/catalog/services.ts'
import { post } from '#money/ledger/post.ts'
import { hold } from '#money/ledger/postings.ts'
import { checksOf, refuseOldRules } from '#money/limits/current.ts'
import type { Rules } from '#money/limits/rules.ts'
import { beginWriting } from '#money/limits/store.ts'
import { type Checked, checkLimits, uncount } from '#money/limits/take.ts'
import {
  claimExternalIds,
  findByExternalIds,
  insertTransactions,
  lockTransactions,
  releaseExternalIds,
} from './store.ts'
import { freshAttempt, type Order, type OrderDetails, type Transaction } from './transaction.ts'

/** An order, checked and priced, that is not recorded yet. */
export interface Intent extends Omit<Order, keyof OrderDetails>, Partial<OrderDetails> {
  service: Service
  operation: Exclude<Transaction['operation'], 'REFUND'>
  /** Of a request that may be repeated: its one record. */
  making?: Making | undefined
}

/** What became of an intent: recorded, or refused without a trace. */
export type Recorded =
  | { kind: 'recorded'; transaction: Transaction }
  | { kind: 'duplicate'; existing: Transaction | undefined }
  | { kind: 'insufficient_funds' }
  | { kind: 'refused'; refusal: Refusal }

/** An intent and the transaction it would become. */
export interface Draft {
  intent: Intent
  transaction: Transaction
  /** By which limits check it; absent: they do not. */
  rules?: Rules | undefined
}

/**
 * Records intents and holds the money that debits need: together or not at all. Drafts carry their
 * ids already, so a group whose commit was lost can be run again and finds its own records.
 */
export function recordIntents(tx: Tx, drafts: Draft[], now: Date): Promise<Recorded[]> {
  const makings = drafts.map(({ intent }) => intent.making)
  return whileHeld(tx, makings, () => recordHeld(tx, drafts, now))
}

async function recordHeld(tx: Tx, drafts: Draft[], now: Date): Promise<Recorded[]> {
  const claims = drafts.flatMap(({ intent: { clientId, externalId }, transaction: { id } }) =>
    externalId === null ? [] : [{ clientId, externalId, id }],
  )
  const isCredits = drafts.every(
    ({ intent }) => intent.externalId !== null && !intent.service.isDebit,
  )
  const { checks, rules } = await checksOf(tx, drafts, now)
  // Credits need no account lock: claiming, checking limits and inserting share one round trip.
  const [claimed, limited] = await Promise.all([
    claimNew(tx, drafts, claims),
    checkLimits(tx, checks, now),
    isCredits ? insertTransactions(tx, drafts.map(transactionOf)) : undefined,
    // Who claims no external id may wait for an account before it writes anything.
    drafts.some(hasNoExternalId) ? beginWriting(tx) : undefined,
  ])
  refuseOldRules(rules)
  const fresh = drafts.filter(({ transaction: { id } }) => isFresh(id, claimed, limited))
  const { unaffordable, recordedBefore } = await holdMoney(tx, fresh, now)
  for (const id of recordedBefore) claimed.delete(id)
  const unmade = drafts.map(idOf).filter((id) => !claimed.has(id) || unaffordable.has(id))
  await uncount(tx, limited, unmade)
  const kept = fresh.filter(
    ({ transaction: { id } }) => !unaffordable.has(id) && !recordedBefore.has(id),
  )
  const unused = claims.filter(({ id }) => unaffordable.has(id))
  if (unused.length > 0) await releaseExternalIds(tx, unused)
  if (kept.length > 0 && !isCredits) await insertTransactions(tx, kept.map(transactionOf))
  const existing = await findExisting(
    tx,
    drafts.filter(({ transaction }) => !claimed.has(transaction.id)),
  )
  // A duplicate within the group of one that is refused is refused too: the id stays unused.
  const refused = new Map(
    drafts.flatMap((one): [string, Recorded][] => {
      const refusal = limited.refused.get(one.transaction.id)
      if (refusal !== undefined) return [[identityOf(one), { kind: 'refused', refusal }]]
      const isUnaffordable = unaffordable.has(one.transaction.id)
      return isUnaffordable ? [[identityOf(one), { kind: 'insufficient_funds' }]] : []
    }),
  )
  return drafts.map((one): Recorded => {
    const { transaction } = one
    const refusal = refused.get(identityOf(one))
    if (refusal !== undefined) return refusal
    if (claimed.has(transaction.id)) return { kind: 'recorded', transaction }
    const found = existing.get(identityOf(one))
    return found?.id === transaction.id
      ? { kind: 'recorded', transaction: found }
      : { kind: 'duplicate', existing: found }
  })
}

function isFresh(id: string, claimed: Set<string>, { refused }: Checked): boolean {
  return claimed.has(id) && !refused.has(id)
}

/** The ids of new drafts: they got their external id, or have none and were not recorded before. */
async function claimNew(
  tx: Tx,
  drafts: Draft[],
  claims: { clientId: number; externalId: string; id: string }[],
): Promise<Set<string>> {
  const claimed = claims.length === 0 ? new Set<string>() : await claimExternalIds(tx, claims)
  const anonymous = drafts.filter(hasNoExternalId).map(transactionOf)
  if (anonymous.length === 0) return claimed
  const recordedBefore = new Set((await lockTransactions(tx, anonymous)).map(({ id }) => id))
  for (const { id } of anonymous) if (!recordedBefore.has(id)) claimed.add(id)
  return claimed
}

/** The records that have the external ids, or the ids, of these drafts. */
async function findExisting(tx: Tx, drafts: Draft[]): Promise<Map<string, Transaction>> {
  const named = drafts.flatMap(({ intent: { clientId, externalId } }) =>
    externalId === null ? [] : [{ clientId, externalId }],
  )
  const anonymous = drafts.filter(hasNoExternalId).map(transactionOf)
  const found = [
    ...(named.length === 0 ? [] : await findByExternalIds(tx, named)),
    ...(anonymous.length === 0 ? [] : await lockTransactions(tx, anonymous)),
  ]
  return new Map(found.map((one) => [identityOf({ intent: one, transaction: one }), one]))
}

const noDetails: OrderDetails = {
  subMerchantId: null,
  linkId: null,
  billReference: null,
  customData: null,
}

/** The transaction an intent becomes when it is recorded. */
export function draft(intent: Intent, now: Date): Draft {
  const { service, making, ...rest } = intent
  const transaction: Transaction = {
    ...noDetails,
    ...rest,
    id: making?.id ?? newId(now),
    serviceCode: service.code,
    reason: null,
    originalId: null,
    lateReference: null,
    holdId: null,
    balanceBefore: null,
    balanceAfter: null,
    ...freshAttempt(now),
    // A bill waits for no payer, only for the biller.
    ...(rest.operation === 'BILL' ? { status: 'PROCESSING' } : {}),
  }
  return { intent, transaction }
}

/**
 * Holds amount and fee of debits. `unaffordable`: transactions whose merchant's balance is too low.
 * `recordedBefore`: those of an earlier run whose commit seemed lost and arrived while this run
 * waited for the lock on the merchant's account.
 */
async function holdMoney(tx: Tx, drafts: Draft[], now: Date) {
  const debits = drafts.filter(({ intent }) => intent.service.isDebit)
  const holds = debits.map(({ transaction: { clientId, id, amount, fee } }) =>
    hold({ clientId, id: newId(now), ref: id }, amount + fee),
  )
  // A just claimed external id proves that the draft is new; without one it may be a repeat.
  const provenNew = new Set(
    debits.flatMap(({ intent, transaction }) => (intent.externalId ? [transaction.id] : [])),
  )
  const posted = await post(tx, holds, now, ({ ref }) => provenNew.has(ref))
  const unaffordable = new Set<string>()
  const recordedBefore = new Set<string>()
  debits.forEach(({ transaction }, index) => {
    const answer = posted[index]
    if (answer?.isPosted) {
      transaction.holdId = holds[index]?.id ?? null
      transaction.balanceBefore = answer.available.before
      transaction.balanceAfter = answer.available.after
    } else if (answer?.because === 'done_before') recordedBefore.add(transaction.id)
    else unaffordable.add(transaction.id)
  })
  return { unaffordable, recordedBefore }
}

function transactionOf({ transaction }: Draft): Transaction {
  return transaction
}

function idOf({ transaction }: Draft): string {
  return transaction.id
}

function hasNoExternalId({ intent }: Draft): boolean {
  return intent.externalId === null
}

/** What only one record can have: the external id, or without one the id. */
function identityOf(one: {
  intent: { clientId: number; externalId: string | null }
  transaction: { id: string }
}): string {
  return `${one.intent.clientId} ${one.intent.externalId ?? one.transaction.id}`
}

import { batched, clientLanes, freely, patientLanes } from '../db/batch.ts'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Outcome, PayerStep } from '../providers/contract.ts'
import type { Providers } from '../providers/registry.ts'
import type { Applied, Heard } from './apply.ts'
import type { CallbackAddresses } from './callback-address.ts'
import type { Copies } from './copies.ts'
import { openCopies } from './copies.ts'
import type { Bound, Ports } from './drive.ts'
import type { Draft, Recorded } from './intents.ts'
import { recordIntents } from './intents.ts'
import type { Announce } from './outcomes.ts'
import { beginAttempt, guessedWrong, recordOutcomes } from './outcomes.ts'
import { findByAttempts, findTransaction, setDue } from './store.ts'
import type { TokenSafe } from './token-safe.ts'
import type { Transaction } from './transaction.ts'
import { providerOperation, serviceOf } from './transaction.ts'

export interface EngineParts {
  db: Db
  clock: Clock
  log: Log
  providers: Providers
  addresses: CallbackAddresses
  announce: Announce
  tokens: TokenSafe
}

/** What the verbs of this room share: grouped writes, and the way to providers. */
export interface Engine extends EngineParts, Ports {
  recordIntent(draft: Draft): Promise<Recorded>
  /** Commits several things that were heard of one transaction, together and in this order. */
  recordAll(heard: [Heard, ...Heard[]]): Promise<Applied[]>
  /** The transaction that an attempt belongs to. */
  findByAttempt(attempt: { clientId: number; id: string }): Promise<Transaction | undefined>
  /** What the payer has to do. */
  payerStepOf(transaction: Transaction): PayerStep
}

/** Puts the engine together: concurrent calls share database transactions. */
export function openEngine(parts: EngineParts): Engine {
  const { db, clock, log } = parts
  const copies = openCopies()
  const recordDrafts = async (drafts: Draft[]) => {
    const recorded = await db.transaction((tx) => recordIntents(tx, drafts, clock.now()))
    for (const one of recorded) if (one.kind === 'recorded') copies.keep(one.transaction)
    return recorded
  }
  const recordTold = async (told: Told[]) => {
    const heard = told.flatMap((one) => one.heard)
    const { applied, tell } = await recordQuickly(parts, heard, copies)
    tell()
    for (const { transaction } of applied) copies.keep(transaction)
    let taken = 0
    return told.map((one) => {
      taken += one.heard.length
      return applied.slice(taken - one.heard.length, taken)
    })
  }
  // What moves money waits for its merchant's account; what does not need not wait with it.
  const recordDebit = batched(
    (drafts: (Draft & { clientId: number })[]) => recordDrafts(drafts),
    clientLanes,
  )
  const recordCredit = batched(recordDrafts, freely)
  const recordMoney = batched(recordTold, patientLanes)
  const recordNews = batched(recordTold, freely)
  const recordAll = async (heard: [Heard, ...Heard[]]) => {
    const { clientId } = heard[0]
    const sealed = heard.map((one) => withSealedToken(one, parts.tokens))
    const record = sealed.every(isOnlyNews) ? recordNews : recordMoney
    const applied = await record({ clientId, heard: sealed })
    for (const one of applied) tellConflict(log, one)
    return applied
  }
  const findInDatabase = batched((attempts: { clientId: number; id: string }[]) =>
    findByAttempts(db, attempts),
  )
  return {
    ...parts,
    recordIntent: (made) => {
      const { service, clientId } = made.intent
      return service.isDebit ? recordDebit({ ...made, clientId }) : recordCredit(made)
    },
    findByAttempt: async (attempt) => copies.findByAttempt(attempt) ?? findInDatabase(attempt),
    recordAll,
    record: async (heard) => {
      const [applied] = await recordAll([heard])
      if (applied === undefined) throw new Error('nothing was applied')
      return applied
    },
    beginAttempt: async (transaction) => {
      const begun = await db.transaction((tx) => beginAttempt(tx, transaction, clock.now()))
      if (begun !== undefined) copies.keep(begun)
      return begun
    },
    park: async (transaction) => {
      log.error(
        { clientId: transaction.clientId, transactionId: transaction.id },
        'a transaction waits for a person: its outcome cannot be found out',
      )
      await setDue(db, transaction, null)
    },
    bind: (transaction) => bind(parts, transaction),
    payerStepOf: (transaction) => offerOf(parts, transaction)?.capability.payerStep ?? 'none',
  }
}

/** Decides on what this process knows; if somebody else was quicker, on what there is. */
async function recordQuickly(
  { db, clock, announce }: EngineParts,
  heard: Heard[],
  copies: Copies,
): ReturnType<typeof recordOutcomes> {
  try {
    return await db.transaction((tx) => recordOutcomes(tx, heard, clock, announce, copies.get))
  } catch (problem) {
    for (const { clientId, transactionId: id } of heard) copies.forget({ clientId, id })
    if (!guessedWrong(problem)) throw problem
    return db.transaction((tx) => recordOutcomes(tx, heard, clock, announce))
  }
}

const newsKinds = new Set<Outcome['kind']>(['accepted', 'pending', 'unknown'])

/** Whether it will most likely move no money. */
function isOnlyNews({ outcome }: Heard): boolean {
  return newsKinds.has(outcome.kind)
}

/** What one caller has to tell. */
interface Told {
  clientId: number
  heard: Heard[]
}

/** Codes are sealed before they come near the database. */
function withSealedToken(heard: Heard, safe: TokenSafe): Heard {
  const { outcome, clientId, transactionId: id } = heard
  if (outcome.kind !== 'succeeded' || outcome.tokens.length === 0) return heard
  return { ...heard, sealedToken: safe.seal({ clientId, id }, outcome.tokens) }
}

/** Who serves a transaction, and what it promises for it. */
function offerOf(parts: EngineParts, transaction: Transaction) {
  const connector = parts.providers.find(serviceOf(transaction))?.connector
  if (connector === undefined) return undefined
  const canReverse = connector.capabilities.reverse !== undefined
  const operation = providerOperation(transaction.operation, canReverse)
  const capability = connector.capabilities[operation]
  return capability === undefined ? undefined : { connector, operation, capability }
}

async function bind(parts: EngineParts, transaction: Transaction): Promise<Bound | undefined> {
  const offer = offerOf(parts, transaction)
  if (offer === undefined) return undefined
  const { connector, operation, capability } = offer
  const service = serviceOf(transaction)
  const { clientId, originalId, attemptId } = transaction
  const original =
    originalId === null ? undefined : await findTransaction(parts.db, { clientId, id: originalId })
  const { amount, phone, payeeName, successUrl, failureUrl, reference, billReference } = transaction
  return {
    connector,
    capability,
    attempt: {
      clientId,
      id: attemptId,
      operation,
      service,
      amount,
      currency: service.currency,
      phone,
      payeeName,
      callbackUrl: parts.addresses.make({ connector: connector.name, clientId, attemptId }),
      successUrl,
      failureUrl,
      reference,
      originalReference: original?.reference ?? null,
      billReference,
    },
  }
}

/** Money that nobody expected, or facts that contradict each other, must wake somebody. */
function tellConflict(log: Log, { conflict }: Applied): void {
  if (conflict === null) return
  const { clientId, transactionId, kind, details } = conflict
  log.error({ clientId, transactionId, kind, details }, 'a conflict needs a person')
}

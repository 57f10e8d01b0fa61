import type { Log } from '#base/log/log.ts'
import type { PseudonymOf } from '#base/sealing/pseudonym.ts'
import type { Traces } from '#base/traces/open.ts'
import type { DbParts } from '#data/db/db.ts'
import type { Clients } from '#merchants/clients/open.ts'
import type { Floats } from '#money/float/open.ts'
import type { Limits } from '#money/limits/open.ts'
import type { Capability, Outcome } from '#money/providers/contract.ts'
import type { Providers } from '#money/providers/open.ts'
import { type Bound, bindProvider, payerStepFor } from './binding.ts'
import type { CallbackAddresses } from './callback-address.ts'
import { requery } from './drive.ts'
import { endUntaken } from './end-untaken.ts'
import { payerTaskOf } from './payer-task.ts'
import { openRecorder } from './recorder.ts'
import { clearDue } from './store.ts'
import type { TokenSafe } from './token-safe.ts'
import { tracedBinding, tracedRecorder } from './trace.ts'
import type { Transaction } from './transaction.ts'
import type { Announce } from './write-effects.ts'

export interface TransactionParts extends DbParts {
  log: Log
  clients: Pick<Clients, 'refuseInactive'>
  providers: Providers
  limits: Limits
  floats: Floats
  addresses: CallbackAddresses
  announce: Announce
  tokens: TokenSafe
  /** What stands for numbers that are no longer kept. */
  pseudonymOf: PseudonymOf
  /** Left out: no spans are made. */
  traces?: Traces | undefined
}

/** What the verbs of this room share: their parts, the recorder, and the binding to providers. */
export type TransactionContext = ReturnType<typeof openContext>

export function openContext(parts: TransactionParts) {
  const { db, log, providers, traces } = parts
  const recorder = openRecorder(parts)
  const recording = traces === undefined ? recorder : tracedRecorder(recorder, traces)
  const binding = { ...parts, ask: (one: Transaction) => requery(context, one) }
  const context = {
    ...parts,
    ...recording,
    /** The connector of a transaction and the attempt it works on; undefined: none is bound. */
    bind: async (transaction: Transaction): Promise<Bound | undefined> => {
      const bound = await bindProvider(binding, transaction)
      if (traces === undefined || bound === undefined) return bound
      return tracedBinding(bound, transaction, traces)
    },
    /** What the payer has to do now. */
    payerStepOf: (transaction: Transaction) =>
      payerTaskOf(transaction, payerStepFor(providers, transaction), parts.clock.now()),
    /** Ends a collection that its provider has not taken, and to which no code is sent any more. */
    endUntaken: (transaction: Transaction, asked: Outcome, capability: Capability) =>
      endUntaken(parts, transaction, asked, capability),
    /** Leaves a transaction to an operator, unless it has changed since it was read. */
    park: async (transaction: Transaction): Promise<void> => {
      if (!(await clearDue(db, transaction))) return
      log.error(
        { clientId: transaction.clientId, transactionId: transaction.id },
        'a transaction waits for a person: its outcome cannot be found out',
      )
    },
  }
  return context
}

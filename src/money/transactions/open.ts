import type { Tx } from '#data/db/db.ts'
import type { Service } from '#merchants/catalog/services.ts'
import type { Viewer } from '#merchants/clients/scope.ts'
import type { RawCallback } from '#money/providers/contract.ts'
import { askForToken, askProvider } from './ask-for-token.ts'
import { receiveCallback } from './callback.ts'
import type { Subject } from './callback-address.ts'
import { type CodeOrder, confirmByOtp, confirmTransaction } from './confirm.ts'
import { openContext, type TransactionParts } from './context.ts'
import { askOutcome } from './drive.ts'
import { dropTransaction } from './drop.ts'
import { eachTransaction } from './each.ts'
import { findOwn } from './find.ts'
import { draftChecked, initTransaction, sendWithin } from './init.ts'
import type { Intent } from './intents.ts'
import { type ListRange, listPage, withPseudonym } from './list.ts'
import { ofAllClients } from './list-all.ts'
import type { TransactionFilter } from './list-store.ts'
import { readClientMarks, readNewest, readTransactionMarks } from './marks-store.ts'
import { type Proof, recordProofs } from './prove.ts'
import { type RefundOrder, refundTransaction } from './refund.ts'
import { type ProviderOrder, requeryProvider } from './requery-provider.ts'
import { type Resolution, recordResolution, resolveTransaction } from './resolve.ts'
import { searchTransactions } from './search.ts'
import { recordSendBack, type SendBack, sendBack } from './send-back.ts'
import { findTransaction } from './store.ts'
import { sumList } from './sum.ts'
import { startTransactionSweeper } from './sweep.ts'
import type { AttemptId, Transaction, TransactionId } from './transaction.ts'
import { openUnresolved } from './unresolved.ts'

/** Everything that can be done with transactions. */
export type Transactions = ReturnType<typeof openTransactions>

/** Opens the room: each verb is the function of the file that bears its name, on one context. */
export function openTransactions(parts: TransactionParts) {
  const context = openContext(parts)
  const { db, providers, addresses, tokens, pseudonymOf } = context
  return {
    /** For the files and the tests of this room only. */
    context,
    // Merchants
    init: (intent: Intent) => initTransaction(context, intent),
    find: (caller: Viewer, wanted: string | { externalId: string }) => findOwn(db, caller, wanted),
    list: (caller: Viewer, filter: TransactionFilter, range: ListRange) =>
      listPage(db, caller, withPseudonym(filter, pseudonymOf), range),
    /** All of them in a range, for exports. */
    /** How many there are of a list, and their sum. */
    sum: (caller: Viewer, filter: TransactionFilter, range: Pick<ListRange, 'from' | 'to'>) =>
      sumList(db, caller, withPseudonym(filter, pseudonymOf), range),
    each: (caller: Viewer, filter: TransactionFilter, range: Pick<ListRange, 'from' | 'to'>) =>
      eachTransaction(db, caller, withPseudonym(filter, pseudonymOf), range),
    /** What a text names of a client: an id, a number, a provider's reference. */
    search: (client: number, text: string) => searchTransactions(db, [client], text, pseudonymOf),
    findById: (id: TransactionId) => findTransaction(db, id),
    /** The newest of a client, newest first. */
    newest: (clientId: number, limit: number) => readNewest(db, clientId, limit),
    /** What differs whenever clients, or transactions by the keys `17 ID`, have changed. */
    marksOfClients: (clientIds: string[]) => readClientMarks(db, clientIds),
    marks: (keys: string[]) => readTransactionMarks(db, keys),
    confirm: (caller: Viewer, order: CodeOrder) => confirmByOtp(context, caller, order),
    refund: (caller: Viewer, order: RefundOrder) => refundTransaction(context, caller, order),
    payerStepOf: context.payerStepOf,
    /** The recharge codes of a top-up in clear text, for its merchant; null: it has none. */
    tokenOf: (transaction: Transaction) => tokens.open(transaction),

    // Payers, through links and bills
    draft: (intent: Intent) => draftChecked(context, intent),
    isAvailable: (service: Service) => providers.find(service)?.isAvailable() ?? false,
    sendWithin: (recorded: Transaction) => sendWithin(context, recorded),
    confirmFound: (transaction: Transaction, otp: string) =>
      confirmTransaction(context, transaction, otp),
    drop: (id: TransactionId) => dropTransaction(context, id),

    // Providers
    isGenuineCallback: (subject: Subject, code: string) => addresses.isGenuine(subject, code),
    receiveCallback: (connector: string, attempt: AttemptId, callback: RawCallback) =>
      receiveCallback(context, connector, attempt, callback),

    // Operators
    ofAllClients: ofAllClients(db, pseudonymOf),
    unresolved: openUnresolved(context),
    requery: (transaction: Transaction) => askProvider(context, transaction),
    /** Queries the provider, and tells what it said beside what is known then. */
    askOutcome: (transaction: Transaction) => askOutcome(context, transaction),
    askForToken: (transaction: Transaction) => askForToken(context, transaction),
    requeryProvider: (order: ProviderOrder) => requeryProvider(context, order),
    resolve: (resolution: Resolution & { actor: string }) =>
      resolveTransaction(context, resolution),
    sendBack: (order: SendBack) => sendBack(context, order),
    // The same in the caller's database transaction
    recordResolution: (tx: Tx, resolution: Resolution, actor: string) =>
      recordResolution(tx, context, resolution, actor),
    recordSendBack,
    /** What statements of providers prove, in the caller's database transaction. */
    recordProofs: (tx: Tx, proofs: Proof[]) => recordProofs(tx, context, proofs),
    startSweeper: () => startTransactionSweeper(context),
  }
}

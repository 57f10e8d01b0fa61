import { type Static, Type } from 'typebox'
import type { Mode } from '#base/config/config.ts'
import type { Language } from '#base/kit/language.ts'
import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { type Contract, generalLimits } from '#merchants/clients/contract.ts'
import type { Payee } from '#merchants/sub-merchants/payee.ts'
import type { BillOrder } from '#money/bills/pay.ts'
import { isMeterTopUp, isTokenMissing, type Transaction } from '#money/transactions/transaction.ts'
import { amountProblem } from './amount.ts'
import { billCustomer, readBillService } from './bill.ts'
import { Status, TransactionType } from './enums.ts'
import { ErrorCodeWire, fieldsAtFault, kindAsCode, sentence } from './error.ts'
import {
  chargedFee,
  FailureWire,
  failureCodeOf,
  operatorDecision,
  writeFailure,
} from './failure.ts'
import { externalIdProblem } from './init.ts'
import { checkedPayee } from './payee.ts'
import { urlProblem } from './urls.ts'

export const PayBody = Type.Object(
  {
    ...billCustomer,
    amount: Type.Optional(
      Type.Integer({
        description:
          `Whole FCFA, for PREPAID_SN_BILL: ${generalLimits.min} to ${generalLimits.max} unless ` +
          'your contract has other limits. Ignored for water and electricity, whose bills impose ' +
          'their own.',
      }),
    ),
    reference_facture: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description:
          'A bill of this customer, or the session of a prepaid meter, as the inquiry tells it. ' +
          'Left out: the first bill that is not paid',
      }),
    ),
    externalTransactionId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    callBackURL: Type.Optional(Type.String()),
    customData: Type.Optional(Type.String({ maxLength: 10_000 })),
    sub_merchant_id: Type.Optional(Type.String({ description: 'A sub-merchant of yours' })),
  },
  {
    title: 'Pay bill request',
    examples: [
      {
        serviceCode: 'PREPAID_SN_BILL',
        reference_client: '200000001',
        amount: 5000,
        externalTransactionId: 'meter-77',
      },
    ],
  },
)

type Pay = Static<typeof PayBody>

export const BillTransactionWire = Type.Object(
  {
    success: Type.Boolean(),
    transactionId: Type.String(),
    externalTransactionId: Type.String(),
    transactionType: TransactionType,
    amount: Type.Integer(),
    transactionFee: Type.Integer(),
    number: Type.String({ description: 'The meter or customer number' }),
    referenceFacture: Type.Optional(Type.String()),
    token: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Recharge codes in the order to type them, for a prepaid meter',
      }),
    ),
    Status,
    previousBalance: Type.Integer(),
    currentBalance: Type.Integer(),
    message: Type.Optional(Type.String()),
    failure: Type.Optional(FailureWire),
  },
  { title: 'Bill transaction' },
)

export const PayAnswer = Type.Object(
  { message: Type.String(), transaction: BillTransactionWire },
  { title: 'Pay bill answer' },
)

export const BillFailure = Type.Object(
  {
    message: Type.Union([Type.String(), Type.Array(Type.String())]),
    success: Type.Literal(false),
    code: ErrorCodeWire,
    ...fieldsAtFault,
    requestId: Type.String(),
    transaction: Type.Optional(
      Type.Object(Type.Partial(BillTransactionWire).properties, { title: 'Failed bill' }),
    ),
  },
  { title: 'Bill failure', description: 'An invalid request has a list of messages instead' },
)

/** Whether a body tops up a prepaid meter, where the caller chooses the amount. */
export function isPrepaid(body: Partial<Pay>): boolean {
  const { serviceCode } = body
  return typeof serviceCode === 'string' && (parseServiceCode(serviceCode)?.isPrepaid ?? false)
}

/** Violations that the schema cannot express; amounts are limited by the caller's contract. */
export function checkPay(body: Partial<Pay>, contract: Contract, webhookRules: Mode): Reason[] {
  const { amount, callBackURL: url, externalTransactionId } = body
  const problems = [externalIdProblem(externalTransactionId)]
  if (typeof url === 'string') problems.push(urlProblem('callBackURL', url, webhookRules))
  if (isPrepaid(body))
    problems.push(
      amount === undefined
        ? reason('{field} is required', {}, 'amount')
        : amountProblem(amount, contract.terms.get(body.serviceCode ?? '')),
    )
  return problems.filter((problem) => problem !== undefined)
}

/** A checked body as an order for a bill payment. */
export function readPay(
  body: Pay,
  caller: { clientId: number; keyId: string },
  contract: Contract,
  payee: Payee,
): BillOrder {
  const { payeeName, subMerchantId } = checkedPayee(payee)
  return {
    clientId: caller.clientId,
    keyId: caller.keyId,
    ...readBillService(body, contract),
    externalId: body.externalTransactionId ?? null,
    account: body.reference_client,
    amount: isPrepaid(body) ? (body.amount ?? null) : null,
    billReference: body.reference_facture ?? null,
    payeeName,
    subMerchantId,
    callbackUrl: body.callBackURL ?? null,
    customData: body.customData ?? null,
  }
}

/** A recorded bill payment, as payment and lookup of a used id show it. */
export function writeBillTransaction(
  transaction: Transaction,
  token: string | null,
  language: Language,
) {
  const { status, billReference, balanceBefore, balanceAfter, externalId } = transaction
  const [before, after] = [balanceBefore ?? 0, balanceAfter ?? 0]
  // A failure releases the hold. The balance without a hold is the higher of the two, whether
  // they were written by the hold or by its release.
  const undone = status === 'FAILED' ? Math.max(before, after) : undefined
  const text = messageOf(transaction)
  return {
    success: status !== 'FAILED',
    transactionId: transaction.id,
    externalTransactionId: externalId ?? '',
    transactionType: transaction.operation,
    amount: transaction.amount,
    transactionFee: chargedFee(transaction),
    number: transaction.phone,
    ...(billReference === null ? { token } : { referenceFacture: billReference }),
    Status: status,
    previousBalance: undone ?? before,
    currentBalance: undone ?? after,
    ...(text === undefined ? {} : { message: sentence(text, language) }),
    ...writeFailure(failureCodeOf(transaction), language),
  }
}

function messageOf(transaction: Transaction): Reason | undefined {
  if (isTokenMissing(transaction))
    return reason('The top-up is paid: the token follows by webhook and lookup')
  if (transaction.status === 'SUCCESS') return undefined
  if (transaction.status === 'FAILED') return refusalOf(transaction).reasons[0]
  return isMeterTopUp(transaction)
    ? reason('The top-up is being processed: the token follows by webhook and lookup')
    : reason('The payment is being processed: its outcome follows by webhook and lookup')
}

export function writePayAnswer(transaction: Transaction, token: string | null, language: Language) {
  const written = writeBillTransaction(transaction, token, language)
  return { message: written.message ?? 'Bill paid successfully', transaction: written }
}

/** The refusal that a failed payment is answered with. */
export function refusalOf({ failure }: Transaction): Refusal {
  if (failure === 'operator') return new Refusal('bill_refused', operatorDecision)
  return failure === 'already_paid'
    ? new Refusal('bill_already_paid', 'This bill is already paid')
    : new Refusal('bill_refused', 'The biller refused the payment')
}

/**
 * The body of a bill payment that failed: the general error with one message instead of a list, and
 * with the transaction. Nothing was debited.
 */
export function writeBillFailure(
  refusal: Refusal,
  transaction: Transaction | null,
  language: Language,
  requestId: string,
) {
  const [first = reason('The biller refused the payment')] = refusal.reasons
  const message = sentence(first, language)
  const known = transaction === null ? {} : writeBillTransaction(transaction, null, language)
  return {
    message,
    success: false as const,
    code: kindAsCode(refusal),
    requestId,
    transaction: { ...known, success: false, Status: 'FAILED' as const, message },
  }
}

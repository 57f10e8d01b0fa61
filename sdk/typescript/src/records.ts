import type {
  BillTransaction,
  ExistingRecord,
  Failure,
  LinkDetail,
  NextStep,
  PaymentStatus as Status,
  Transaction,
  TransactionDetail,
  TransactionType,
} from './interface.ts'

/**
 * Where a record came from: the answer to the call, a lookup after that was lost, or the 409 of a
 * DuplicateError.
 */
export type FoundBy = 'answer' | 'lookup' | 'duplicate'

/** A payment, in one form whichever endpoint told of it. Amounts are whole francs. */
export interface Payment {
  transactionId: string
  externalTransactionId: string
  status: Status
  type: TransactionType
  /** Empty for a payment link that nobody has paid. */
  serviceCode: string
  amount: number
  fee: number
  /** The customer's nine digits, or the number of a meter or of a biller's customer. */
  number: string
  foundBy: FoundBy
  /** Why it ended without success. */
  failure?: Failure
  /** What the customer does now. */
  nextStep?: NextStep
  /** Where the customer goes to pay, for redirect wallets. */
  cashoutUrl?: string
  /** The recharge codes of a prepaid meter, in the order to type them. */
  token?: string
  /** The bill that was paid. */
  referenceFacture?: string
  /** Of a refund: the payment that it sends back. */
  originalTransactionId?: string
  /** Of a collection: what was sent back. */
  refundedAmount?: number
  previousBalance?: number
  currentBalance?: number
  createdAt?: string
  completedAt?: string
}

/** A payment link. */
export interface Link {
  transactionId: string
  externalTransactionId: string
  status: Status
  /** Where the customer pays. */
  paymentUrl: string
  foundBy: FoundBy
  amount?: number
  itemName?: string
  number?: string
  failure?: Failure
  createdAt?: string
  completedAt?: string
}

const finalStatuses = new Set<Status>(['SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED'])

/** Whether a status never changes any more. */
export function isFinal(status: Status): boolean {
  return finalStatuses.has(status)
}

/** Throws a TypeError for what is no record: nothing about money is made up. */
export function assertRecord(id: unknown, status: unknown, amount: unknown): void {
  const areTexts = typeof id === 'string' && id !== '' && typeof status === 'string'
  if (!areTexts || !Number.isSafeInteger(amount)) throw new TypeError('no record')
}

/** A payment as a lookup or a list tells it. */
export function fromDetail(detail: TransactionDetail, foundBy: FoundBy): Payment {
  assertRecord(detail.transactionId, detail.Status, detail.Amount)
  return {
    transactionId: detail.transactionId,
    externalTransactionId: detail.externalTransactionId,
    status: detail.Status,
    type: detail.Type,
    serviceCode: detail.ServiceCode,
    amount: detail.Amount,
    fee: detail.Fee,
    number: detail.Number,
    foundBy,
    ...present({
      failure: detail.failure,
      nextStep: detail.nextStep,
      cashoutUrl: detail.cashout_url,
      token: detail.token,
      referenceFacture: detail.referenceFacture,
      originalTransactionId: detail.originalTransactionId,
      refundedAmount: detail.refundedAmount,
      createdAt: detail.Initiated_at,
      completedAt: detail.Completed_at,
    }),
  }
}

type Told = Partial<Transaction & BillTransaction & ExistingRecord>

/** A payment as the answer to an order, or a 409, tells it; the order tells what they leave out. */
export function fromAnswer(
  told: Told,
  foundBy: FoundBy,
  order: { serviceCode?: string; originalTransactionId?: string } = {},
): Payment {
  assertRecord(told.transactionId, told.Status, told.amount ?? told.transactionAmount)
  return {
    transactionId: told.transactionId ?? '',
    externalTransactionId: told.externalTransactionId ?? '',
    status: told.Status ?? 'PENDING',
    type: told.transactionType ?? 'CASHOUT',
    serviceCode: told.serviceCode ?? order.serviceCode ?? '',
    amount: told.amount ?? told.transactionAmount ?? 0,
    fee: told.transactionFee ?? 0,
    number: told.number ?? '',
    foundBy,
    ...present({
      failure: told.failure,
      nextStep: told.nextStep,
      cashoutUrl: told.cashout_url,
      token: told.token,
      referenceFacture: told.referenceFacture,
      originalTransactionId: order.originalTransactionId,
      previousBalance: told.previousBalance,
      currentBalance: told.currentBalance,
      createdAt: told.INITIATED_AT,
    }),
  }
}

/** A link as a lookup or a list tells it. */
export function fromLinkDetail(detail: LinkDetail, foundBy: FoundBy): Link {
  assertRecord(detail.transactionId, detail.Status, detail.Amount)
  return {
    transactionId: detail.transactionId,
    externalTransactionId: detail.externalTransactionId,
    status: detail.Status,
    paymentUrl: detail.PaymentUrl,
    foundBy,
    amount: detail.Amount,
    itemName: detail.ItemName,
    number: detail.Number,
    ...present({
      failure: detail.failure,
      createdAt: detail.Initiated_at,
      completedAt: detail.Completed_at,
    }),
  }
}

/** The record in a 409: a link if it has an address to pay at, else a payment. */
export function fromExisting(existing: ExistingRecord | undefined): Payment | Link | undefined {
  if (typeof existing?.transactionId !== 'string') return undefined
  return typeof existing.PaymentUrl === 'string'
    ? fromLinkAnswer(existing, 'duplicate')
    : fromAnswer(existing, 'duplicate')
}

/** A link as the answer to its creation, or a 409, tells it. */
export function fromLinkAnswer(told: ExistingRecord, foundBy: FoundBy): Link {
  if (!told.transactionId || !told.PaymentUrl) throw new TypeError('no link')
  return {
    transactionId: told.transactionId ?? '',
    externalTransactionId: told.externalTransactionId ?? '',
    status: told.Status ?? 'PENDING',
    paymentUrl: told.PaymentUrl ?? '',
    foundBy,
  }
}

type Present<T> = { [Key in keyof T]?: NonNullable<T[Key]> }

/** Only the fields that say something. */
function present<T extends object>(fields: T): Present<T> {
  const said = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  return Object.fromEntries(said) as Present<T>
}

import type { Currency } from '#merchants/catalog/countries.ts'
import type { Service, Operation as ServiceOperation } from '#merchants/catalog/services.ts'
import type { Send } from './gated-client.ts'

/*
 * What a connector promises to the rest of the gateway. Each protocol has a folder with the same
 * four files: `client.ts` (its requests), `wire.ts` (its field names and schemas), `status.ts` (its
 * status words and error codes, as tables) and `connector.ts` (the `Protocol`). `gsma/bills.ts` and
 * `top-up/meters.ts` add bills and prepaid meters to the two protocols that have them.
 */

/** What an attempt asks a provider to do. */
export type Operation = 'collect' | 'disburse' | 'top_up' | 'reverse' | 'pay_bill'

/** What a provider is asked to do for a service. */
export const operationFor: Record<ServiceOperation, Operation> = {
  CASHOUT: 'collect',
  CASHIN: 'disburse',
  AIRTIME: 'top_up',
  BILL: 'pay_bill',
}

/** What the payer has to do after a collection was accepted. */
export type PayerStep = 'none' | 'push' | 'redirect' | 'otp'

/**
 * One attempt at a provider. Its id is committed before the first request and stays the upstream
 * idempotency key: every repeated request carries the same id.
 */
export interface Attempt {
  clientId: number
  /** A random UUID. */
  id: string
  operation: Operation
  service: Service
  amount: number
  currency: Currency
  /** Nine digits, as the merchant gave them; for a bill, the meter or customer number. */
  phone: string
  /** The name the payer is shown. */
  payeeName: string
  /** Where the provider sends callbacks; contains a code that only we can compute. */
  callbackUrl: string
  successUrl: string
  failureUrl: string
  /** The provider's reference, as soon as it is known. */
  reference: string | null
  /** For a reversal: the provider's reference of the collection to refund. */
  originalReference: string | null
  /** The biller's reference of the bill to pay; null: a top-up of the meter. */
  billReference: string | null
}

/** What is stored of a request and its answer, for people who must decide later. */
export interface Evidence {
  /** The HTTP status, when there was an answer. */
  status?: number
  /** The beginning of the answer, secrets and recharge codes masked. */
  excerpt?: string
}

/**
 * Why an order failed. `declined`: for a reason that a payer cannot act on. `balance_low`: of the
 * account that pays, which for a payout is ours. The last four are found out here: the payer sent
 * only wrong codes, or none in time; the order provably never left; an operator decided.
 */
export type DeclineCause =
  | 'declined'
  | 'balance_low'
  | 'limit_reached'
  | 'payer_not_found'
  | 'payer_blocked'
  | 'payer_refused'
  | 'payer_timeout'
  | 'already_paid'
  | 'wrong_code'
  | 'code_expired'
  | 'unavailable'
  | 'operator'

/**
 * The causes that say nothing about the provider: the payer's own, a bill that was paid already,
 * and what an operator decided.
 */
export const causesOutsideProvider = [
  'balance_low',
  'limit_reached',
  'payer_not_found',
  'payer_blocked',
  'payer_refused',
  'payer_timeout',
  'already_paid',
  'wrong_code',
  'code_expired',
  'operator',
] as const satisfies DeclineCause[]

/** A payment as the provider reports it. */
export interface Payment {
  reference: string
  amount: number
  currency: Currency
}

/**
 * The outcome of a call, as data: connectors do not throw. What cannot be read with certainty is
 * `unknown`.
 */
export type Outcome = { evidence?: Evidence } & (
  | {
      /** Proof that no byte of the order was sent: the only outcome that allows a new attempt. */
      kind: 'not_sent'
      reason: string
    }
  | {
      /** The provider took the order; the payer or the provider has to act next. */
      kind: 'accepted'
      reference: string | null
      /** Where the payer goes to pay, for redirect wallets. */
      paymentUrl?: string
    }
  | { kind: 'pending'; reference: string | null }
  | {
      kind: 'succeeded'
      reference: string
      /** The amount that the provider reports as paid, to be compared with the amount ordered. */
      amount: number
      currency: Currency
      /** Recharge codes, in the order in which the customer types them. */
      tokens: string[]
      /** Further payments that the provider reports for the same id. */
      others?: Payment[]
    }
  | {
      kind: 'declined'
      cause: DeclineCause
      reason: string
      reference: string | null
      /** The provider has not declined: it has not taken the order, and can no longer. */
      isUntaken?: true
    }
  | {
      kind: 'unknown'
      reason: string
      reference: string | null
      /** The provider could not be asked: nothing is known of it either. */
      isUnreached?: true
    }
  | {
      /** Only from a query: the provider has no order of this id (yet). */
      kind: 'not_found'
      /** When it was asked: it says nothing of what was sent since. */
      askedAt?: Date
    }
)

/**
 * The outcome of sending a one-time code. `accepted`: the code was right, and a query tells when
 * the money moved. `wrong_code`: the order still waits for the right code.
 */
export type ConfirmOutcome =
  | Extract<Outcome, { kind: 'accepted' | 'declined' | 'unknown' | 'not_sent' }>
  | { kind: 'wrong_code'; evidence?: Evidence }

/** A bill of a customer, or a meter that can be topped up. */
export interface Bill {
  reference: string
  /** The customer number as the biller writes it. */
  account: string
  lastName: string
  firstName: string | null
  /** Zero for a meter: the customer chooses. */
  amount: number
  /** The biller's own fee: shown to the merchant, not charged by us. */
  fee: number
  /** YYYY-MM-DD. */
  dueOn: string | null
  isPaid: boolean
  address: string | null
  meterStatus: string | null
}

/** A biller's answer about a customer. */
export type Inquiry =
  | { kind: 'found'; account: string; bills: Bill[] }
  | { kind: 'not_found' }
  | { kind: 'unavailable'; reason: string }

/** What a provider says it holds for us. */
export type ToldBalance = { kind: 'told'; amount: number } | { kind: 'unavailable'; reason: string }

/** What a connector promises for an operation. */
export interface Capability {
  /**
   * What the provider does with a second order of the same id. `harmless`: it creates another
   * order, but the payer can pay only one of them. `duplicates`: both can be paid, so the second is
   * sent only once "not found" proves that there is no first.
   */
  idempotency: 'replays' | 'rejects' | 'harmless' | 'duplicates' | 'none'
  /** How long the provider recognises a second order of an id; left out: as long as we repeat. */
  repeatsKnownForMs?: number
  /** Whether an order can be looked up by our id alone, after its answer was lost. */
  canFindByOurId: boolean
  /**
   * How long after a request could last have arrived "not found" proves that there is no order;
   * null: never. The provider's search may lag behind its orders by less than this.
   */
  notFoundIsFinalAfterMs: number | null
  payerStep: PayerStep
  /** The timeout of a request. */
  deadlineMs: number
  /** Delays between queries; the last one repeats. */
  pollMs: number[]
}

/** What a provider's callback claims. */
export interface CallbackClaim {
  /**
   * `signed`: the signature proves the sender, and the outcome counts. `hint`: anyone who knows the
   * address could have sent it; a query must confirm it before money moves.
   */
  trust: 'signed' | 'hint'
  /** The same for every copy of the same callback. */
  dedupeKey: string
  /** The result that a hint claims, to be compared with what is known; its outcome is `unknown`. */
  claimedResult?: 'success' | 'failure' | 'nothing'
  /** The provider's reference in a hint: the query reads it first, and trusts it no further. */
  claimedReference?: string
  /** The cause in a hint: of a decline that a query confirms without one. */
  claimedCause?: DeclineCause
  /** The attempt, when the callback address does not name it. */
  attempt: { clientId: number; id: string } | null
  outcome: Outcome
}

/** A callback as it was received. */
export interface RawCallback {
  headers: Record<string, string | string[] | undefined>
  /** The raw bytes, which the signature covers. */
  body: Buffer
  now: Date
}

/** What a provider gave us to authenticate with, by the names that its protocol requires. */
export type Credentials = Readonly<Record<string, string>>

/** A protocol, before it is bound to a provider. */
export interface Protocol {
  readonly name: string
  readonly capabilities: Connector['capabilities']
  /** The credentials that a binding must have. */
  readonly credentialNames: readonly string[]
  /** A path that may be requested at any time, without credentials and without side effects. */
  readonly probePath: string
  open(send: Send, credentials: Credentials): Connector
}

/**
 * One protocol, bound to one provider. A method that only some protocols have is optional, so no
 * method throws "not implemented".
 */
export interface Connector {
  readonly name: string
  readonly capabilities: Partial<Record<Operation, Capability>>
  /**
   * A first step that moves no money (an invoice), whose reference must be committed before
   * `submit`. The outcome is `accepted`, `declined`, or else `not_sent`: even when the answer is
   * lost no order was sent, and the step can be repeated.
   */
  prepare?(attempt: Attempt): Promise<Outcome>
  /** Sends the order. */
  submit(attempt: Attempt): Promise<Outcome>
  /**
   * Reads the state of the order, by the provider's reference or by our id. A query that fails is
   * `unknown`, never `not_sent`. `claimedReference` is the reference in a hint.
   */
  query(attempt: Attempt, claimedReference?: string): Promise<Outcome>
  /** Asks the provider what it holds for us, from which it pays orders out. */
  readBalance?(): Promise<ToldBalance>
  /** Asks a biller which bills a customer has, or whose meter it is. */
  inquire?(account: string): Promise<Inquiry>
  /**
   * Cancels an order on which the payer may not have acted yet. `declined`: it can no longer be
   * paid.
   */
  cancel?(attempt: Attempt): Promise<Outcome>
  /** Sends the payer's one-time code to the provider. */
  confirm?(attempt: Attempt, code: string): Promise<ConfirmOutcome>
  /** Reads and verifies a callback; undefined: forged, or not a callback. */
  readCallback(callback: RawCallback): CallbackClaim | undefined
}

import type { Currency } from '../catalog/countries.ts'
import type { Service } from '../catalog/services.ts'

/** What an attempt asks a provider to do. */
export type Operation = 'collect' | 'disburse' | 'top_up' | 'reverse' | 'pay_bill'

/** What the payer has to do after a collection was accepted. */
export type PayerStep = 'none' | 'push' | 'redirect' | 'otp'

/**
 * One attempt at a provider. Its id was committed before anything is sent and is the upstream
 * idempotency key for ever: whatever is sent again for it carries the same id.
 */
export interface Attempt {
  clientId: number
  /** A random UUID. */
  id: string
  operation: Operation
  service: Service
  amount: number
  currency: Currency
  /** Nine digits, as the merchant gave them; of a bill, the meter or customer number. */
  phone: string
  /** The name the payer is shown. */
  payeeName: string
  /** Where the provider tells us about this attempt; carries a code that only we can make. */
  callbackUrl: string
  successUrl: string
  failureUrl: string
  /** What the provider calls it, as far as it is known. */
  reference: string | null
  /** For a reversal: the provider's reference of the collection that is sent back. */
  originalReference: string | null
  /** The bill to pay, as the biller calls it; null: a top-up of the meter. */
  billReference: string | null
}

/** What is kept of an exchange with a provider, for people who must decide later. */
export interface Evidence {
  /** HTTP status, when there was an answer. */
  status?: number
  /** The beginning of the answer, secrets and recharge codes masked. */
  excerpt?: string
}

/**
 * Why a provider said no: declined it, the payer refused the prompt or let it run out, or the bill
 * was paid before.
 */
export type DeclineCause = 'declined' | 'payer_refused' | 'payer_timeout' | 'already_paid'

/**
 * The outcome of any call is data. Once the socket was open nothing throws: what cannot be read
 * with certainty is `unknown`.
 */
export type Outcome = { evidence?: Evidence } & (
  | {
      /** Proof that nothing left: the only outcome that allows a new attempt. */
      kind: 'not_sent'
      reason: string
    }
  | {
      /** Taken; the payer or the provider has to act next. */
      kind: 'accepted'
      reference: string | null
      /** Where the payer goes to pay, for redirect wallets. */
      paymentUrl?: string
    }
  | { kind: 'pending'; reference: string | null }
  | {
      kind: 'succeeded'
      reference: string
      /** What the provider says was paid, to be compared with what was asked. */
      amount: number
      currency: Currency
      /** Recharge codes, in the order to type them. */
      tokens: string[]
    }
  | { kind: 'declined'; cause: DeclineCause; reason: string; reference: string | null }
  | { kind: 'unknown'; reason: string; reference: string | null }
  | {
      /** Only from a query: the provider has no order of this id (yet). */
      kind: 'not_found'
    }
)

/**
 * The outcome of handing on a one-time code. `accepted`: the code was right, and a query tells when
 * the money moved. `wrong_code`: the order goes on waiting for a right one.
 */
export type ConfirmOutcome =
  | Extract<Outcome, { kind: 'accepted' | 'declined' | 'unknown' | 'not_sent' }>
  | { kind: 'wrong_code'; evidence?: Evidence }

/** What a customer owes a biller, or the meter that can be topped up. */
export interface Bill {
  reference: string
  /** The customer as the biller writes it. */
  account: string
  lastName: string
  firstName: string | null
  /** Zero for a meter: the customer chooses. */
  amount: number
  /** What the biller adds; told, not charged by us. */
  fee: number
  /** YYYY-MM-DD. */
  dueOn: string | null
  isPaid: boolean
  address: string | null
  meterStatus: string | null
}

/** What a biller says of a customer. */
export type Inquiry =
  | { kind: 'found'; account: string; bills: Bill[] }
  | { kind: 'not_found' }
  | { kind: 'unavailable'; reason: string }

/** What a connector can promise for an operation. */
export interface Capability {
  /**
   * What the provider does with a second order of the same id. `harmless`: it makes another one,
   * but the payer can pay only one of them.
   */
  idempotency: 'replays' | 'rejects' | 'harmless' | 'none'
  /** Whether an order can be looked up by our id alone, after its answer was lost. */
  canFindByOurs: boolean
  /** How long after sending "not found" proves that there is no order; null: never. */
  notFoundIsFinalAfterMs: number | null
  payerStep: PayerStep
  /** How long an answer is waited for. */
  deadlineMs: number
  /** When to ask again, counted from the last time; the last one repeats. */
  pollMs: number[]
}

/** What a provider's callback claims. */
export interface CallbackClaim {
  /**
   * `signed`: the provider proved it is the author, and its outcome counts. `hint`: anyone who
   * learnt the address could have sent it; a query must confirm it before money moves.
   */
  trust: 'signed' | 'hint'
  /** The same for every copy of the same message. */
  dedupeKey: string
  /** What a hint claims, to be held against what is known; its outcome is always `unknown`. */
  says?: 'success' | 'failure' | 'nothing'
  /** What the provider calls the order, by a hint: where to look first, no more. */
  named?: string
  /** Whose it is, when the address does not tell. */
  attempt: { clientId: number; id: string } | null
  outcome: Outcome
}

/** A callback as it came in. */
export interface RawCallback {
  headers: Record<string, string | string[] | undefined>
  /** The bytes as they came: signatures cover these and nothing else. */
  body: Buffer
  now: Date
}

/**
 * One protocol, bound to one provider. Narrow on purpose: an optional method is a capability, so
 * there is no method that throws "not implemented".
 */
export interface Connector {
  readonly name: string
  readonly capabilities: Partial<Record<Operation, Capability>>
  /**
   * A harmless first step whose reference must be committed before `submit` (an invoice). It is
   * `accepted`, `declined`, or in all other cases `not_sent`: even with its answer lost no order
   * left, and it is simply done again.
   */
  prepare?(attempt: Attempt): Promise<Outcome>
  /** Sends the order. */
  submit(attempt: Attempt): Promise<Outcome>
  /**
   * Asks what became of the order, by the provider's reference or by our id. A question that could
   * not be asked is `unknown`, never `not_sent`. `named` is what a hint calls the order.
   */
  query(attempt: Attempt, named?: string): Promise<Outcome>
  /** Asks a biller what a customer owes, or whose meter it is. */
  inquire?(account: string): Promise<Inquiry>
  /**
   * Takes back an order that its payer may not have acted on yet; `declined`: it is off, for good.
   */
  cancel?(attempt: Attempt): Promise<Outcome>
  /** Hands on the payer's one-time code. */
  confirm?(attempt: Attempt, code: string): Promise<ConfirmOutcome>
  /** Reads and verifies a callback; undefined: forged or unreadable. */
  readCallback(callback: RawCallback): CallbackClaim | undefined
}

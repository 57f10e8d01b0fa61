import type { Language } from '#base/kit/language.ts'
import type { RefusalKind } from '#base/kit/refusal.ts'
import type { Brand } from '#merchants/clients/brand-store.ts'
import type { Logo } from '#merchants/clients/logo.ts'
import type { DeclineCause } from '#money/providers/contract.ts'

/** What the payer's page works with. */
export interface Checkout {
  /** The link as the payer sees it now; undefined: there is none. */
  look(linkId: string): Promise<PayerView | undefined>
  /** The id of the link whose short form this is; undefined: there is none. */
  idOfShort(short: string): Promise<string | undefined>
  /** A picture that a view's brand names; undefined: it was replaced or removed. */
  logoOf(hash: string): Promise<Pick<Logo, 'mediaType' | 'bytes'> | undefined>
  /** Starts a payment; `started` too when another one is under way already. */
  pay(linkId: string, order: { serviceCode: string; phone: string }): Promise<PayResult>
  /** Sends the payer's one-time code to the provider. */
  confirm(linkId: string, code: string): Promise<ConfirmResult>
  /**
   * Has the wallet send another one-time code. The protocol has none for the same payment, so this
   * cancels the payment where that is provably safe and begins another one, which counts as a try.
   * `triesLeft` is the `attemptsLeft` that the payer saw: a second click begins nothing. `started`
   * too when the payment has ended or another one has begun: the page shows it.
   */
  newCode(linkId: string, triesLeft: number): Promise<'started' | 'unavailable' | 'too_late'>
  /**
   * Cancels the payment under way where that is provably safe (only wrong codes sent, a checkout
   * page not yet paid), so that another wallet can be chosen.
   */
  changeWallet(linkId: string): Promise<'changed' | 'too_late'>
  /** Ends the link for a payer who gives up; refused while a payment is under way. */
  giveUp(linkId: string): Promise<'given_up' | 'too_late'>
  /** Yields each time the link may have changed, until the signal. */
  follow(linkId: string, signal: AbortSignal): AsyncIterable<void>
}

export type PayResult = { kind: 'started' } | { kind: 'refused'; problems: PayProblem[] }

export type PayProblem = 'service' | 'phone' | 'unavailable' | 'not_open' | LimitProblem

/** A limit of the merchant's, or a number that may not pay. */
export const limitProblems = [
  'daily_limit_reached',
  'too_many_attempts',
  'number_blocked',
] as const satisfies RefusalKind[]

export type LimitProblem = (typeof limitProblems)[number]

export type ConfirmResult = 'accepted' | 'wrong_code' | 'expired' | 'not_waiting' | 'unavailable'

export interface PayerView {
  id: string
  /** Changes whenever the state below does. */
  version: string
  /** The commercial name. */
  shop: string
  brand: Brand
  item: string
  amount: number
  /** The merchant's own id. */
  reference: string
  customerName: string | null
  /** As the merchant wrote it, to prefill. */
  customerPhone: string | null
  /** Where the merchant is; null: none of ours. */
  country: string | null
  /** The language that the merchant chose for the link, if any. */
  language: Language | null
  expiresAt: Date
  attemptsLeft: number
  successUrl: string
  failureUrl: string
  wallets: WalletChoice[]
  /** Maintenance that closes a wallet: what payers are told, and until when; null: none. */
  maintenance: { notice: string | null; until: Date | null } | null
  state: PayerState
}

export interface WalletChoice {
  serviceCode: string
  /** Such as "Wallet A". */
  name: string
  /** Such as 'SN'. */
  country: string
  step: 'push' | 'redirect' | 'otp'
  /** False: its provider is down or in maintenance. */
  isAvailable: boolean
}

export type PayerState =
  | { kind: 'choose'; lastFailure: Failure | null }
  // The provider could not be reached: the request is sent again by itself.
  | { kind: 'waiting'; attempt: AttemptView; step: 'sending' }
  | { kind: 'waiting'; attempt: AttemptView; step: 'push' }
  | { kind: 'waiting'; attempt: AttemptView; step: 'redirect'; url: string | null }
  // Without a try left no code is accepted any more.
  | { kind: 'waiting'; attempt: AttemptView; step: 'otp'; triesLeft: number }
  // The outcome is unknown: the payer must not start another payment.
  | { kind: 'checking'; attempt: AttemptView }
  | { kind: 'paid'; receipt: AttemptView & { paidAt: Date; providerReference: string } }
  | {
      kind: 'failed'
      because: 'gave_up' | 'attempts_exhausted'
      lastFailure: Failure | null
      endedAt: Date
    }
  | { kind: 'expired' }

export interface AttemptView {
  serviceCode: string
  walletName: string
  country: string
  phone: string
  amount: number
  startedAt: Date
}

/** Why the last payment failed, and what it was, so that the payer need not type it again. */
export interface Failure extends Omit<AttemptView, 'amount' | 'startedAt'> {
  cause: Exclude<DeclineCause, 'already_paid' | 'operator'>
}

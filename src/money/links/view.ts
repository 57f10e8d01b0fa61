import type { Service } from '#merchants/catalog/services.ts'
import type { Brand } from '#merchants/clients/brand-store.ts'
import { triesMax } from '#money/transactions/one-time-code.ts'
import type { PayerTask } from '#money/transactions/payer-task.ts'
import { serviceOf, type Transaction } from '#money/transactions/transaction.ts'
import type { AttemptView, Failure, PayerState, PayerView, WalletChoice } from './checkout.ts'
import { attemptsMax, type Link } from './link.ts'
import { isOpen } from './pay.ts'

interface ViewParts {
  link: Link
  version: string
  /** The payment under way, the one that paid, or else the last one. */
  payment: Transaction | undefined
  wallets: WalletChoice[]
  brand: Brand
  stepOf(transaction: Transaction): PayerTask
  maintenance: PayerView['maintenance']
}

/** A link as its payer sees it: nothing else of it reaches the page. */
export function viewOf(parts: ViewParts, now: Date): PayerView {
  const { link, version, wallets, brand, maintenance } = parts
  return {
    id: link.id,
    version,
    shop: link.payeeName,
    brand,
    item: link.itemName,
    amount: link.amount,
    reference: link.externalId,
    customerName: link.customerName,
    customerPhone: link.customerPhone,
    country: brand.country,
    language: link.language,
    expiresAt: link.expiresAt,
    attemptsLeft: attemptsMax - link.attempts,
    successUrl: link.successUrl,
    failureUrl: link.failureUrl,
    wallets,
    maintenance,
    state: stateOf(parts, now),
  }
}

function stateOf({ link, payment, stepOf }: ViewParts, now: Date): PayerState {
  const lastFailure = failureOf(payment)
  if (link.status === 'SUCCESS' && payment !== undefined) return paid(payment)
  if (link.status === 'FAILED')
    return {
      kind: 'failed',
      because: link.attempts >= attemptsMax ? 'attempts_exhausted' : 'gave_up',
      lastFailure,
      endedAt: link.completedAt ?? link.createdAt,
    }
  if (link.openId !== null && payment?.id === link.openId) return underWay(payment, stepOf(payment))
  // Its lifetime may be over before the sweeper has ended it.
  if (link.status === 'EXPIRED' || !isOpen(link, now)) return { kind: 'expired' }
  return { kind: 'choose', lastFailure }
}

/** `waiting` while the payer has to act; `checking` while only the provider knows the outcome. */
function underWay(payment: Transaction, { step, obstacle }: PayerTask): PayerState {
  const attempt = attemptOf(payment)
  const { attemptState, confirmedAt, paymentUrl, otpTries } = payment
  const isInDoubt = attemptState === 'unknown' || attemptState === 'parked'
  if (isInDoubt || confirmedAt !== null || step === 'none') return { kind: 'checking', attempt }
  if (obstacle === 'not_sent') return { kind: 'waiting', attempt, step: 'sending' }
  if (step === 'redirect') return { kind: 'waiting', attempt, step, url: paymentUrl }
  if (step === 'otp') {
    const triesLeft = obstacle === 'code_spent' ? 0 : triesMax - otpTries
    return { kind: 'waiting', attempt, step, triesLeft }
  }
  return { kind: 'waiting', attempt, step }
}

function paid(payment: Transaction): PayerState {
  const { completedAt, createdAt, reference, attemptId } = payment
  return {
    kind: 'paid',
    receipt: {
      ...attemptOf(payment),
      paidAt: completedAt ?? createdAt,
      providerReference: reference ?? attemptId,
    },
  }
}

function attemptOf(payment: Transaction): AttemptView {
  const service = serviceOf(payment)
  const { serviceCode, phone, amount, createdAt: startedAt } = payment
  const { country } = service
  return { serviceCode, walletName: walletNameOf(service), country, phone, amount, startedAt }
}

function failureOf(payment: Transaction | undefined): Failure | null {
  if (payment?.completedAt === null || payment === undefined || payment.status === 'SUCCESS')
    return null
  const { failure } = payment
  const isOurs = failure === null || failure === 'already_paid' || failure === 'operator'
  const { serviceCode, walletName, country, phone } = attemptOf(payment)
  return { cause: isOurs ? 'declined' : failure, serviceCode, walletName, country, phone }
}

/** The name of a wallet for payers: "Wallet A". */
export function walletNameOf({ provider }: Pick<Service, 'provider'>): string {
  return provider.replace(/^WALLET(.)$/, 'Wallet $1')
}

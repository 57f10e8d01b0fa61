import type { Currency } from '#merchants/catalog/countries.ts'
import type { Service } from '#merchants/catalog/services.ts'

/** A merchant's two accounts: money that it can spend, and money set aside for an open order. */
export type MerchantAccount = 'available' | 'held'

/** One line of a posting: `amount` is added to the account (below zero: taken from it). */
export interface Line {
  account: string
  currency: Currency
  amount: number
}

export type PostingKind =
  | 'fund'
  | 'withdraw'
  | 'hold'
  | 'capture'
  | 'release'
  | 'collect'
  | 'suspend'
  | 'explain'
  | 'adjust'
  | 'provider_fee'
  | 'transfer'

/** Lines that are written together or not at all, once for each (client, kind, ref). */
export interface Posting {
  clientId: number
  id: string
  kind: PostingKind
  ref: string
  /** The id of the hold that this posting ends. */
  resolves: string | null
  lines: Line[]
}

type Head = Pick<Posting, 'clientId' | 'id' | 'ref'>

/** A posting between accounts of the gateway itself, which has no merchant. */
export type OwnPosting = Pick<Posting, 'kind' | 'ref' | 'lines'>

/** Money that arrived for the merchant outside any payment. */
export function fund(head: Head, amount: number): Posting {
  return posting(head, 'fund', [xof('settlement', -amount), xof('available', amount)])
}

/** Money paid out to the merchant itself. */
export function withdraw(head: Head, amount: number): Posting {
  return posting(head, 'withdraw', [xof('available', -amount), xof('settlement', amount)])
}

/** Sets money aside before an order is sent to a provider. */
export function hold(head: Head, amount: number): Posting {
  return posting(head, 'hold', [xof('available', -amount), xof('held', amount)])
}

/** Returns held money to the merchant, after the order failed. */
export function release(head: Head, holdId: string, amount: number): Posting {
  return posting(head, 'release', [xof('held', -amount), xof('available', amount)], holdId)
}

/** Spends held money, after the order succeeded. The fee is part of the hold. */
export function capture(
  head: Head,
  holdId: string,
  service: Service,
  amount: number,
  fee: number,
): Posting {
  const lines = [xof('held', -(amount + fee)), ...providerLines(service, amount), xof('fees', fee)]
  return posting(head, 'capture', lines, holdId)
}

/** Money that a payer paid to the provider for the merchant, less our fee. */
export function collect(head: Head, service: Service, amount: number, fee: number): Posting {
  return posting(head, 'collect', [
    ...providerLines(service, -amount),
    xof('available', amount - fee),
    xof('fees', fee),
  ])
}

/**
 * Money whose owner is not known, until an operator decides: a provider collected it (above zero)
 * or paid it out (below zero) after the transaction had ended otherwise here.
 */
export function suspend(head: Head, service: Service, amount: number): Posting {
  return posting(head, 'suspend', [...providerLines(service, -amount), xof('suspense', amount)])
}

/** Money that a provider has more than we know of, of no merchant; below zero: less. */
export function suspendOwn(ref: string, service: Service, amount: number): OwnPosting {
  return {
    kind: 'suspend',
    ref,
    lines: [...providerLines(service, -amount), xof('suspense', amount)],
  }
}

/** Moves money from suspense to the merchant whose it is. */
export function explain(head: Head, amount: number): Posting {
  return posting(head, 'explain', [xof('suspense', -amount), xof('available', amount)])
}

/** Corrects a merchant's balance, above zero in its favour, against another account. */
export function adjust(head: Head, account: string, amount: number): Posting {
  return posting(head, 'adjust', [xof(account, -amount), xof('available', amount)])
}

/** Fees that a provider has kept of the money that it holds for us. */
export function providerFee(ref: string, service: Service, amount: number): OwnPosting {
  const lines = [...providerLines(service, amount), xof('provider_fees', -amount)]
  return { kind: 'provider_fee', ref, lines: lines.filter((line) => line.amount !== 0) }
}

/** Money that went from our bank to a provider; below zero: to our bank. */
export function transfer(ref: string, service: Service, amount: number): OwnPosting {
  const lines = [...providerLines(service, -amount), xof('settlement', amount)]
  return { kind: 'transfer', ref, lines: lines.filter((line) => line.amount !== 0) }
}

/**
 * The lines of the provider's account. XAF is exchanged at par through the exchange account, so
 * that the posting balances in each currency.
 */
function providerLines(service: Service, amount: number): Line[] {
  const account = `provider:${service.provider}:${service.country}`
  if (service.currency === 'XOF') return [xof(account, amount)]
  return [
    { account, currency: service.currency, amount },
    { account: 'exchange', currency: service.currency, amount: -amount },
    xof('exchange', amount),
  ]
}

function posting(
  head: Head,
  kind: PostingKind,
  lines: Line[],
  resolves: string | null = null,
): Posting {
  return { ...head, kind, resolves, lines: lines.filter((line) => line.amount !== 0) }
}

function xof(account: string, amount: number): Line {
  return { account, currency: 'XOF', amount }
}

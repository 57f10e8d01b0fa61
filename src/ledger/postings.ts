import type { Currency } from '../catalog/countries.ts'
import type { Service } from '../catalog/services.ts'

/** A merchant's two accounts: what can be spent, and what waits for a provider's answer. */
export type MerchantAccount = 'available' | 'held'

/** One line of a posting; `amount` is what the account gains (below zero: what it loses). */
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

/** Money that moves between accounts, together or not at all, once for each (client, kind, ref). */
export interface Posting {
  clientId: number
  id: string
  kind: PostingKind
  ref: string
  /** The hold that this posting ends. */
  resolves: string | null
  lines: Line[]
}

type Head = Pick<Posting, 'clientId' | 'id' | 'ref'>

/** Money that arrived for the merchant outside any payment. */
export function fund(head: Head, amount: number): Posting {
  return posting(head, 'fund', [xof('settlement', -amount), xof('available', amount)])
}

/** Money paid out to the merchant itself. */
export function withdraw(head: Head, amount: number): Posting {
  return posting(head, 'withdraw', [xof('available', -amount), xof('settlement', amount)])
}

/** Sets money aside before a provider is asked. */
export function hold(head: Head, amount: number): Posting {
  return posting(head, 'hold', [xof('available', -amount), xof('held', amount)])
}

/** Gives held money back: the provider refused. */
export function release(head: Head, holdId: string, amount: number): Posting {
  return posting(head, 'release', [xof('held', -amount), xof('available', amount)], holdId)
}

/** Spends held money: the provider accepted. The fee is part of what was held. */
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

/** Money a payer gave the provider for the merchant, less our fee. */
export function collect(head: Head, service: Service, amount: number, fee: number): Posting {
  return posting(head, 'collect', [
    ...providerLines(service, -amount),
    xof('available', amount - fee),
    xof('fees', fee),
  ])
}

/**
 * Money that nobody can explain yet, kept apart until a person does: what a provider got (above
 * zero) or gave (below zero) against what was decided here.
 */
export function suspend(head: Head, service: Service, amount: number): Posting {
  return posting(head, 'suspend', [...providerLines(service, -amount), xof('suspense', amount)])
}

/** Money in suspense whose owner is known after all: it becomes the merchant's. */
export function explain(head: Head, amount: number): Posting {
  return posting(head, 'explain', [xof('suspense', -amount), xof('available', amount)])
}

/**
 * What the provider's account gains. A provider that counts in XAF settles at par through the
 * exchange account, so that the posting balances in each currency by itself.
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

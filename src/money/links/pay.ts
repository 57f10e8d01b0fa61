import type { Tx } from '#data/db/db.ts'
import { type Service, services } from '#merchants/catalog/services.ts'
import { type Contract, limitsOf } from '#merchants/clients/contract.ts'
import { feeOn } from '#merchants/clients/fees.ts'
import { type Draft, type Intent, recordIntents } from '#money/transactions/intents.ts'
import { type LimitProblem, limitProblems, type PayResult } from './checkout.ts'
import type { LinkContext } from './context.ts'
import { attemptsMax, type Link } from './link.ts'
import { lockLinks, updateLinks } from './store.ts'

/** What a payer chose. */
export interface PayerOrder {
  serviceCode: string
  phone: string
}

/**
 * Begins a payment through a link and waits briefly for its provider. The link is locked while
 * its payment is recorded, so that two tabs, or a double click, begin one payment.
 */
export async function payLink(
  { db, clock, transactions }: LinkContext,
  link: Link,
  order: PayerOrder,
  offer: { contract: Contract; pageUrl: string; services: Service[] },
): Promise<PayResult> {
  const service = offer.services.find(({ code }) => code === order.serviceCode)
  const isPhone = /^[0-9]{9}$/.test(order.phone)
  if (service === undefined || !isPhone)
    return {
      kind: 'refused',
      problems: [...(service ? [] : ['service' as const]), ...(isPhone ? [] : ['phone' as const])],
    }
  if (!transactions.isAvailable(service)) return { kind: 'refused', problems: ['unavailable'] }
  const drafted = await transactions.draft(intentOfPayment(link, service, order.phone, offer))
  const begun = await db.transaction((tx) => beginPayment(tx, link, drafted, clock.now()))
  if (begun === 'begun') await transactions.sendWithin(drafted.transaction)
  return begun === 'begun' || begun === 'under_way'
    ? { kind: 'started' }
    : { kind: 'refused', problems: [begun] }
}

/**
 * Records a payment on a link that has none under way and may have one more. Idempotent: the same
 * draft again, after a commit that seemed lost, is the same payment.
 */
export async function beginPayment(
  tx: Tx,
  { clientId, id }: Pick<Link, 'clientId' | 'id'>,
  drafted: Draft,
  now: Date,
): Promise<'begun' | 'under_way' | 'not_open' | LimitProblem> {
  const [link] = await lockLinks(tx, [{ clientId, id }])
  if (link?.openId === drafted.transaction.id) return 'begun'
  if (link !== undefined && link.openId !== null) return 'under_way'
  if (link === undefined || !isOpen(link, now)) return 'not_open'
  const [recorded] = await recordIntents(tx, [drafted], now)
  const limit = limitProblems.find(
    (kind) => recorded?.kind === 'refused' && recorded.refusal.kind === kind,
  )
  if (limit !== undefined) return limit
  if (recorded?.kind !== 'recorded') throw new Error(`no payment could begin on link ${id}`)
  // It was recorded by an earlier run, and has ended since.
  if (recorded.transaction !== drafted.transaction) return 'begun'
  const attempts = link.attempts + 1
  await updateLinks(tx, [{ ...link, attempts, openId: drafted.transaction.id }])
  return 'begun'
}

/** Whether a payment can begin. */
export function isOpen(link: Link, now: Date): boolean {
  return link.status === 'PENDING' && now < link.expiresAt && link.attempts < attemptsMax
}

/** The payment that a payer's choice is. */
export function intentOfPayment(
  link: Link,
  service: Service,
  phone: string,
  { contract, pageUrl }: { contract: Contract; pageUrl: string },
): Intent {
  const terms = contract.terms.get(service.code)
  if (terms === undefined) throw new Error(`no terms for ${service.code}`)
  const { clientId, keyId, payeeName, subMerchantId, amount, id: linkId } = link
  return {
    clientId,
    keyId,
    externalId: null,
    service,
    operation: 'CASHOUT',
    amount,
    fee: feeOn(service, terms, amount),
    phone,
    payeeName,
    subMerchantId,
    linkId,
    // The merchant gets the link's event, not this payment's; refunds inherit these two.
    customData: link.customData,
    callbackUrl: link.callbackUrl === '' ? null : link.callbackUrl,
    // The wallet redirects to the payment page, which shows the outcome.
    successUrl: pageUrl,
    failureUrl: pageUrl,
  }
}

/**
 * The wallets an amount can be paid with, by the client's contract, in the order of the catalogue.
 * The general minimum of services does not apply to links, whose own is lower; one set for the
 * client does.
 */
export function walletsFor({ terms }: Contract, amount: number): Service[] {
  return services.filter(({ code, operation }) => {
    const own = terms.get(code)
    if (operation !== 'CASHOUT' || own === undefined || !own.isEnabled) return false
    return amount >= (own.amountMin ?? 0) && amount <= limitsOf(own).max
  })
}

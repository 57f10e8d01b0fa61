import type { Service } from '../catalog/services.ts'
import { services } from '../catalog/services.ts'
import type { Contract } from '../clients/contract.ts'
import { feeOn } from '../clients/fees.ts'
import type { Tx } from '../kit/db.ts'
import type { Engine } from '../transactions/engine.ts'
import { sendWithin } from '../transactions/init.ts'
import type { Draft } from '../transactions/intents.ts'
import { draft, recordIntents } from '../transactions/intents.ts'
import type { PayResult } from './checkout.ts'
import type { Link } from './link.ts'
import { attemptsMax } from './link.ts'
import { lockLinks, updateLinks } from './store.ts'

/** What a payer chose. */
export interface PayerOrder {
  serviceCode: string
  phone: string
}

/**
 * Begins a payment through a link and waits a moment for its provider. The link is locked while
 * that is decided, so that two tabs, or two taps, begin one payment.
 */
export async function payLink(
  engine: Engine,
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
  if (!engine.providers.find(service)?.isAvailable())
    return { kind: 'refused', problems: ['unavailable'] }
  const now = engine.clock.now()
  const made = draftPayment(link, service, order.phone, offer, now)
  const begun = await engine.db.transaction((tx) => beginPayment(tx, link, made, now))
  if (begun === 'begun') await sendWithin(engine, made.transaction)
  return begun === 'not_open' ? { kind: 'refused', problems: ['not_open'] } : { kind: 'started' }
}

/** Records a payment on a link that has none under way and may have one more. */
async function beginPayment(
  tx: Tx,
  { clientId, id }: Link,
  made: Draft,
  now: Date,
): Promise<'begun' | 'under_way' | 'not_open'> {
  const [link] = await lockLinks(tx, [{ clientId, id }])
  if (link?.openId === made.transaction.id) return 'begun'
  if (link !== undefined && link.openId !== null) return 'under_way'
  if (link === undefined || !isOpen(link, now)) return 'not_open'
  const [recorded] = await recordIntents(tx, [made], now)
  if (recorded?.kind !== 'recorded') throw new Error(`no payment could begin on link ${id}`)
  const attempts = link.attempts + 1
  await updateLinks(tx, [{ ...link, attempts, openId: made.transaction.id, dueAt: null }])
  return 'begun'
}

/** Whether a payment can begin. */
export function isOpen(link: Link, now: Date): boolean {
  return link.status === 'PENDING' && now < link.expiresAt && link.attempts < attemptsMax
}

function draftPayment(
  link: Link,
  service: Service,
  phone: string,
  { contract, pageUrl }: { contract: Contract; pageUrl: string },
  now: Date,
): Draft {
  const terms = contract.terms.get(service.code)
  if (terms === undefined) throw new Error(`no terms for ${service.code}`)
  const { clientId, keyId, payeeName, subMerchantId, amount, id: linkId, customData } = link
  return draft(
    {
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
      customData,
      callbackUrl: null,
      // Wherever the wallet takes the payer, the way back leads to the page, which knows more.
      successUrl: pageUrl,
      failureUrl: pageUrl,
    },
    now,
  )
}

/** The wallets a link can be paid with, by the client's contract, in the order of the catalogue. */
export function walletsFor({ terms }: Contract): Service[] {
  return services.filter(
    ({ code, operation }) => operation === 'CASHOUT' && terms.get(code)?.isEnabled === true,
  )
}

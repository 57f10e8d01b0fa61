import { newId } from '#base/kit/ids.ts'
import { capture, collect, hold, type Posting, release } from '#money/ledger/postings.ts'
import type { TriggerOf } from '#money/lifecycle/transitions.ts'
import { draftLink } from '#money/links/create.ts'
import type { Link } from '#money/links/link.ts'
import type { DeclineCause } from '#money/providers/contract.ts'
import type { TokenSafe } from '#money/transactions/token-safe.ts'
import {
  freshAttempt,
  isDebit,
  isMeterTopUp,
  type Transaction,
} from '#money/transactions/transaction.ts'
import type { PlannedLink, PlannedPayment } from './history-plan.ts'

/** The merchant whose past is written. */
export interface PastMerchant {
  clientId: number
  keyId: string
  name: string
  shops: { id: string; commercialName: string }[]
  tokens: TokenSafe
}

/** A payment of the past: as it was recorded, and as it is since its end. */
export interface PastPayment {
  plan: PlannedPayment
  recorded: Transaction
  ended: Transaction
}

const shopUrl = 'https://boutique.example'

/** The records of a planned payment, the `number`th of all. */
export function pastPayment(
  merchant: PastMerchant,
  plan: PlannedPayment,
  number: number,
  link: Link | null = null,
): PastPayment {
  const { service, at, amount, fee, phone, failure } = plan
  const { clientId, keyId } = merchant
  const shop = plan.shop === null ? undefined : merchant.shops[plan.shop]
  const isPostpaid = service.operation === 'BILL' && !service.isPrepaid
  const recorded: Transaction = {
    ...freshAttempt(at),
    clientId,
    keyId,
    id: newId(at),
    externalId: link === null ? `CMD-${10_000 + number}` : null,
    operation: service.operation,
    serviceCode: service.code,
    amount,
    fee,
    phone,
    payeeName: shop?.commercialName ?? merchant.name,
    subMerchantId: shop?.id ?? null,
    linkId: link?.id ?? null,
    billReference: isPostpaid ? `F${service.provider.slice(0, 2)}${700_000 + number}` : null,
    customData: null,
    callbackUrl: null,
    successUrl: `${shopUrl}/merci`,
    failureUrl: `${shopUrl}/panier`,
    reason: null,
    originalId: null,
    lateReference: null,
    holdId: null,
    balanceBefore: null,
    balanceAfter: null,
    status: service.operation === 'BILL' ? 'PROCESSING' : 'PENDING',
    dueAt: null,
    attemptedAt: at,
  }
  const isSent = failure !== 'unavailable'
  const ended: Transaction = {
    ...recorded,
    status: statusAfter(failure, recorded),
    failure,
    attemptState: isSent ? 'taken' : 'not_sent',
    reference: isSent ? `T${recorded.attemptId.slice(0, 8).toUpperCase()}${number}` : null,
    refunded: plan.refund?.amount ?? 0,
    completedAt: plan.endedAt,
  }
  if (failure === null && isMeterTopUp(recorded))
    ended.sealedToken = merchant.tokens.seal(recorded, [rechargeCode(number)])
  return { plan, recorded, ended }
}

/** The refund that a planned payment has. */
export function pastRefund(
  original: PastPayment,
  refund: NonNullable<PlannedPayment['refund']>,
): PastPayment {
  const { at, endedAt, amount, reason } = refund
  const { plan, recorded: first } = original
  const recorded: Transaction = {
    ...first,
    ...freshAttempt(at),
    id: newId(at),
    externalId: null,
    linkId: null,
    operation: 'REFUND',
    amount,
    fee: 0,
    reason,
    originalId: first.id,
    dueAt: null,
    attemptedAt: at,
  }
  const ended: Transaction = {
    ...recorded,
    status: 'SUCCESS',
    attemptState: 'taken',
    reference: `R${recorded.attemptId.slice(0, 8).toUpperCase()}`,
    completedAt: endedAt,
  }
  return { plan: { ...plan, at, endedAt, amount, fee: 0, failure: null }, recorded, ended }
}

/** A planned link as it was created. */
export function pastLink(merchant: PastMerchant, plan: PlannedLink, number: number): Link {
  const { clientId, keyId, name } = merchant
  const { createdAt, itemName, amount, customerName } = plan
  const order = {
    clientId,
    keyId,
    externalId: `LIEN-${1000 + number}`,
    subMerchantId: null,
    payeeName: name,
    itemName,
    amount,
    customData: null,
    callbackUrl: `${shopUrl}/webhooks`,
    successUrl: `${shopUrl}/merci`,
    failureUrl: `${shopUrl}/panier`,
    customerName,
    customerPhone: null,
    customerEmail: null,
    language: null,
    lifetimeMs: 86_400_000,
  }
  return draftLink(order, createdAt)
}

/** The postings of a payment, with their times; sets the id of its hold. */
export function postingsOf(payment: PastPayment): { posting: Posting; at: Date }[] {
  const { plan, recorded, ended } = payment
  const { clientId, id: ref, amount, fee } = recorded
  const { at, endedAt, service } = plan
  const headAt = (time: Date) => ({ clientId, id: newId(time), ref })
  const isSuccess = ended.status === 'SUCCESS'
  if (!isDebit(recorded))
    return isSuccess
      ? [{ posting: collect(headAt(endedAt), service, amount, fee), at: endedAt }]
      : []
  const held = hold(headAt(at), amount + fee)
  recorded.holdId = held.id
  ended.holdId = held.id
  const end = isSuccess
    ? capture(headAt(endedAt), held.id, service, amount, fee)
    : release(headAt(endedAt), held.id, amount + fee)
  return [
    { posting: held, at },
    { posting: end, at: endedAt },
  ]
}

/** What ended a payment that is no bill, in the words of its lifecycle. */
export function triggerOf({ ended: { failure } }: PastPayment): TriggerOf<'transaction'> {
  if (failure === null) return 'provider_succeeded'
  return failure === 'payer_refused' || failure === 'payer_timeout' ? failure : 'provider_declined'
}

function statusAfter(failure: DeclineCause | null, { operation }: Transaction) {
  if (failure === null) return 'SUCCESS'
  const isPayers = failure === 'payer_refused' || failure === 'payer_timeout'
  return isPayers && operation === 'CASHOUT' ? 'CANCELLED' : 'FAILED'
}

function rechargeCode(number: number): string {
  const digits = String(number * 7_919_331_777)
    .padStart(20, '4')
    .slice(-20)
  return (digits.match(/.{4}/g) ?? []).join('-')
}

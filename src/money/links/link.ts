import { randomBytes } from 'node:crypto'
import { isUuid } from '#base/kit/ids.ts'
import type { Language } from '#base/kit/language.ts'
import type { StatusOf } from '#money/lifecycle/transitions.ts'

/** A request for money that anyone who has its id can pay, once. */
export interface Link {
  clientId: number
  id: string
  keyId: string
  externalId: string
  subMerchantId: string | null
  /** The name payers are shown. */
  payeeName: string
  itemName: string
  amount: number
  customData: string | null
  /** Empty: the client's own address, if it has one. */
  callbackUrl: string
  /** Empty, as `failureUrl`: the payer stays on the payment page. */
  successUrl: string
  failureUrl: string
  customerName: string | null
  customerPhone: string | null
  customerEmail: string | null
  language: Language | null
  status: StatusOf<'link'>
  /** Payments begun. */
  attempts: number
  /** The payment under way: at most one at a time. */
  openId: string | null
  /** The payment that succeeded. */
  paidId: string | null
  createdAt: Date
  expiresAt: Date
  completedAt: Date | null
  dueAt: Date | null
}

/** How many payments may begin on a link. */
export const attemptsMax = 5

/** 128 random bits in the form of a UUID, without version or time. */
export function newLinkId(): string {
  return randomBytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Whether a text could be the id of a link. */
export function isLinkId(text: string): boolean {
  return isUuid(text)
}

/** The address of a link's page. */
export function linkUrl(payUrl: string, id: string): string {
  return `${payUrl}/process/${id}`
}

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
  return withHyphens(randomBytes(16).toString('hex'))
}

function withHyphens(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Whether a text could be the id of a link. */
export function isLinkId(text: string): boolean {
  return isUuid(text)
}

/** The address of a link's page. */
export function linkUrl(payUrl: string, id: string): string {
  return `${payUrl}/process/${id}`
}

// Without i, l, o and u, which are read as other digits or make words.
const digits = '0123456789abcdefghjkmnpqrstvwxyz'
const shortLength = 13
const shortForm = /^[0-9a-hjkmnp-tv-z]{13}$/
const leftOutBits = BigInt(128 - 5 * shortLength)

/** The first 65 bits of a link's id, as people can read them out: its short address ends so. */
export function shortOf(id: string): string {
  let rest = BigInt(`0x${id.replaceAll('-', '')}`) >> leftOutBits
  const written = Array.from({ length: shortLength }, () => {
    const digit = digits[Number(rest & 31n)]
    rest >>= 5n
    return digit
  })
  return written.toReversed().join('')
}

/** The ids whose short form this is, from the first to the last; undefined: it is none. */
export function idsOfShort(short: string): { first: string; last: string } | undefined {
  const read = short.toLowerCase().replaceAll('o', '0').replaceAll(/[il]/g, '1')
  if (!shortForm.test(read)) return undefined
  let bits = 0n
  for (const one of read) bits = (bits << 5n) | BigInt(digits.indexOf(one))
  const first = bits << leftOutBits
  return { first: idOf(first), last: idOf(first | ((1n << leftOutBits) - 1n)) }
}

function idOf(bits: bigint): string {
  return withHyphens(bits.toString(16).padStart(32, '0'))
}

/** The address of a link's page to send to people: it leads to the long one. */
export function shortLinkUrl(payUrl: string, id: string): string {
  return `${payUrl}/p/${shortOf(id)}`
}

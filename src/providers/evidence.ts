import { maskPhone } from '../kit/log.ts'
import type { Attempt, Evidence } from './contract.ts'
import type { Reply } from './http.ts'

type Private = Pick<Attempt, 'phone' | 'callbackUrl'>

const excerptMax = 500
const secretNames = 'token|secret|password|authori[sz]ation|api_?key|pin'
// Also when the excerpt ends in the middle of one.
const anySecret = new RegExp(`${secretNames}|bearer|basic`, 'i')
const secretField = new RegExp(
  `"([^"]*(?:${secretNames})[^"]*)"\\s*:\\s*"(?:[^"\\\\]|\\\\.)*("|$)`,
  'gi',
)
const bearer = /\b(Bearer|Basic)\s+[^\s"]+/gi
// Whatever the three below could be part of.
const digits = /[+\d][\d .-]{6,}\d/g
// Sixteen digits or more, however they are grouped: codes that are as good as cash.
const rechargeCode = /\d(?:[ -]?\d){15,}/g
const longNumber = /\+?\d{8,15}/g
// However it is grouped: 77 000 00 01, 77-000-00-01. Not made for each phone: that is slow.
const groupedDigits = /\d(?:[ .-]?\d){8,}/g

/** What is kept of an answer: its status, and its beginning without what must not leak. */
export function evidenceOf(reply: Reply, about: Private): Evidence {
  if (reply.kind !== 'answered') return {}
  if (reply.body === '') return { status: reply.status }
  return { status: reply.status, excerpt: masked(reply.body, about) }
}

function masked(body: string, { phone, callbackUrl }: Private): string {
  // Masks may shorten it, so more is looked at than is kept.
  let text = body.slice(0, 2 * excerptMax)
  // PostgreSQL cannot keep it in a text.
  if (text.includes('\0')) text = text.replaceAll('\0', '')
  if (callbackUrl !== '') text = text.replaceAll(callbackUrl, '[callback address]')
  // Hardly ever there, and soon seen.
  if (anySecret.test(text))
    text = text.replaceAll(secretField, '"$1":"***"').replaceAll(bearer, '$1 ***')
  return text.replaceAll(digits, (some) => maskedDigits(some, phone)).slice(0, excerptMax)
}

function maskedDigits(some: string, phone: string): string {
  if (isShort(some)) return some
  const hidePhone = (grouped: string) =>
    phone !== '' && grouped.replaceAll(/\D/g, '').includes(phone) ? maskPhone(phone) : grouped
  return some
    .replaceAll(rechargeCode, '****')
    .replaceAll(groupedDigits, hidePhone)
    .replaceAll(longNumber, maskPhone)
}

/** Too few digits for any of the three, as in dates, which most of these are. */
function isShort(some: string): boolean {
  let digitCount = 0
  let run = 0
  for (let index = 0; index < some.length; index += 1) {
    const code = some.charCodeAt(index)
    const isDigit = code >= 48 && code <= 57
    run = isDigit ? run + 1 : 0
    if (isDigit) digitCount += 1
    if (run === 8 || digitCount === 9) return false
  }
  return true
}

import { maskPhone } from '../kit/log.ts'
import type { Attempt, Evidence } from './contract.ts'
import type { Reply } from './http.ts'

type Private = Pick<Attempt, 'phone' | 'callbackUrl'>

const excerptMax = 500
const secretField =
  /"([^"]*(?:token|secret|password|authori[sz]ation|api_?key|pin)[^"]*)"\s*:\s*"(?:[^"\\]|\\.)*("|$)/gi
const bearer = /\b(Bearer|Basic)\s+[^\s"]+/gi
// Groups of four digits, sixteen or more: codes that are as good as cash.
const rechargeCode = /\d{4}(?:[ -]?\d{4}){3,}/g
const longNumber = /\+?\d{8,15}/g

/** What is kept of an answer: its status and its beginning, with nothing in it that must not leak. */
export function evidenceOf(reply: Reply, about: Private): Evidence {
  if (reply.kind !== 'answered') return {}
  if (reply.body === '') return { status: reply.status }
  return { status: reply.status, excerpt: masked(reply.body, about) }
}

function masked(body: string, { phone, callbackUrl }: Private): string {
  // However it is grouped: 77 000 00 01, 77-000-00-01. Without a phone: what matches nothing.
  const grouped = phone === '' ? /(?!)/g : new RegExp([...phone].join('[ .-]?'), 'g')
  return (
    body
      // Masks may shorten it, so more is looked at than is kept.
      .slice(0, 2 * excerptMax)
      // PostgreSQL cannot keep it in a text.
      .replaceAll('\0', '')
      .replaceAll(callbackUrl === '' ? '\0' : callbackUrl, '[callback address]')
      .replaceAll(secretField, '"$1":"***"')
      .replaceAll(bearer, '$1 ***')
      .replaceAll(rechargeCode, '****')
      .replaceAll(grouped, maskPhone(phone))
      .replaceAll(longNumber, maskPhone)
      .slice(0, excerptMax)
  )
}

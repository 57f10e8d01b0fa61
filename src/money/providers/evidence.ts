import type { Attempt, Evidence } from './contract.ts'
import type { Reply } from './http-client.ts'
import { maskSecrets } from './masking.ts'

const excerptMax = 500

/** The evidence of an answer: its status, and the beginning of its body without secrets. */
export function evidenceOf(
  reply: Reply,
  { phone, callbackUrl }: Pick<Attempt, 'phone' | 'callbackUrl'>,
): Evidence {
  if (reply.kind !== 'answered') return {}
  if (reply.body === '') return { status: reply.status }
  return { status: reply.status, excerpt: excerptOf(reply.body, phone, callbackUrl) }
}

function excerptOf(body: string, phone: string, callbackUrl: string): string {
  // Masks may shorten the text, so twice as much is read as is kept.
  let text = body.slice(0, 2 * excerptMax)
  // PostgreSQL cannot store NUL in a text.
  if (text.includes('\0')) text = text.replaceAll('\0', '')
  if (callbackUrl !== '') text = text.replaceAll(callbackUrl, '[callback address]')
  return maskSecrets(text, phone).slice(0, excerptMax)
}

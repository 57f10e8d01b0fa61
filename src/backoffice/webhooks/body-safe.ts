import { keysFor, openText, type SecretKey, sealText } from '#base/sealing/seal.ts'

/** The parts of an event that sealing binds together. */
interface EventBody {
  clientId: number
  /** The event's. */
  id: string
  body: string
}

/** Seals bodies that hold recharge codes; other bodies are stored in clear. */
export interface BodySafe {
  seal(event: EventBody): string
  /** The body as merchants get it, byte for byte; a body stored in clear is returned as it is. */
  open(event: EventBody): string
}

export const bodyPurpose = 'event bodies'

/** Opens the body safe with the installation's secret key. */
export function openBodySafe(secretKey: SecretKey): BodySafe {
  const keys = keysFor(secretKey, bodyPurpose)
  return {
    seal: (event) => sealText(keys, event.body, bodyContext(event)),
    open: (event) => openText(keys, event.body, bodyContext(event)),
  }
}

/** What a body is bound to by sealing. */
export function bodyContext({ clientId, id }: Pick<EventBody, 'clientId' | 'id'>): string {
  return `${clientId} ${id}`
}

/**
 * A receiver's answer without recharge codes, fit to be stored: a receiver that echoes the webhook
 * also echoes the codes in it. All digits are hidden, since it may group those of a code otherwise.
 */
export function redactCodes(answer: string, body: string): string {
  if (!body.includes('"TOKEN":"')) return answer
  const { TOKEN: token } = JSON.parse(body) as { TOKEN: string }
  if (token === '') return answer
  const codes = token.split(' ').filter(Boolean)
  return codes.reduce((text, code) => text.replaceAll(code, '***'), answer).replaceAll(/\d/g, '*')
}

import { keyFor, openText, sealText } from '../kit/seal.ts'

/** An event's body as it is kept. */
interface Kept {
  clientId: number
  /** The event. */
  id: string
  body: string
}

/** Bodies with recharge codes in them are kept sealed; all others as they are. */
export interface BodySafe {
  seal(event: Kept): string
  /** The body as merchants get it, to the byte. */
  open(event: Kept): string
}

/** Opens the safe of this installation. */
export function openBodySafe(secretKey: Buffer): BodySafe {
  const key = keyFor(secretKey, 'event bodies')
  return {
    seal: (event) => sealText(key, event.body, contextOf(event)),
    open: (event) => openText(key, event.body, contextOf(event)),
  }
}

function contextOf({ clientId, id }: Kept): string {
  return `${clientId} ${id}`
}

/**
 * What a receiver answers, fit to be kept: whoever echoes what it was sent also echoes the recharge
 * codes in it. Digits are hidden one by one, since they may come back in other groups.
 */
export function withoutCodes(answer: string, body: string): string {
  if (!body.includes('"TOKEN":"')) return answer
  const { TOKEN: token } = JSON.parse(body) as { TOKEN: string }
  if (token === '') return answer
  const codes = token.split(' ').filter(Boolean)
  return codes.reduce((text, code) => text.replaceAll(code, '***'), answer).replaceAll(/\d/g, '*')
}

import type { AnyVisit } from '#doors/dashboard/frame/visit.ts'
import { masked } from '#doors/dashboard/transactions/masked.ts'

interface Body {
  externalTransactionId: string
  AMOUNT: number
  PHONE_NUMBER?: string
  STATUS?: string
  transactionType?: string
  TOKEN?: string
}

/** The body of an event; it is always JSON that we wrote. */
export function bodyOf(text: string): Body {
  return JSON.parse(text) as Body
}

/** The body as it is sent, indented: no recharge codes, and for some no numbers and balances. */
export function shownBody(visit: AnyVisit, text: string): string {
  const body = bodyOf(text)
  const { TOKEN: token } = body
  const safe = token === undefined ? body : { ...body, TOKEN: token.replaceAll(/\d/g, '•') }
  return masked(visit, JSON.stringify(safe, null, 2), body.PHONE_NUMBER ?? '')
}

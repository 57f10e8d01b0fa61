import type { ToldBalance } from './contract.ts'
import type { Reply } from './http-client.ts'

/** A provider's answer about what it holds for us; `read` finds the amount in the body. */
export function balanceOf(reply: Reply, read: (body: string) => unknown): ToldBalance {
  if (reply.kind !== 'answered') return { kind: 'unavailable', reason: reply.reason }
  if (reply.status !== 200) return { kind: 'unavailable', reason: `HTTP ${reply.status}` }
  const amount = wholeFrancs(read(reply.body))
  return amount === undefined
    ? { kind: 'unavailable', reason: 'the answer has no readable balance' }
    : { kind: 'told', amount }
}

/** The whole francs of a balance; the rest of one cannot be paid out. Below zero there is none. */
function wholeFrancs(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return undefined
  const [, sign, whole] = /^(-?)(\d{1,15})(?:\.\d{1,6})?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  return sign === '-' ? 0 : Number(whole)
}

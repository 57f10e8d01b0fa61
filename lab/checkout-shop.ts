import { createHmac, randomUUID } from 'node:crypto'
import type { Answer, Call } from './http.ts'
import type { Books, Claim, Order, Wish } from './orders.ts'
import { placeOrder } from './orders.ts'
import { letGo, play } from './play.ts'

/** What webhooks are signed with; the other one is a forger's. */
const webhookSecret = 'lab_checkout_secret'
const wrongSecret = 'lab_wrong_secret'

/** What sessions and payouts share. */
export interface Shop {
  books: Books
  /** The lab's own address, for launch pages. */
  url: () => string
  webhookUrl: () => string | undefined
  byClientReference: Map<string, Order[]>
}

/** What a session or a payout looks like, in truth or as a webhook claims. */
export type Describe = (order: Order, claim: Pick<Claim, 'status' | 'reason'>) => object

/** The names of the events that end well and that do not. */
export type EventTypes = [succeeded: string, failed: string]

/** Takes an order that signed webhooks tell about and that can be searched for. */
export function take(
  shop: Shop,
  wish: Wish,
  describe: Describe,
  [succeeded, failed]: EventTypes,
  repeated?: (first: Order) => Answer,
): Answer | Promise<Answer> {
  const url = shop.webhookUrl()
  if (url !== undefined)
    wish.tell = (order, claim) => {
      const type = claim.status === 'succeeded' ? succeeded : failed
      return webhook(url, type, describe(order, claim), claim)
    }
  return placeOrder(shop.books, wish, {
    taken: (order) => ({ status: 200, body: describe(order, order) }),
    ...(repeated && { repeated }),
    entered: (order) => {
      const place = placeOf(wish.mount.path, wish.operation, wish.clientReference)
      const same = shop.byClientReference.get(place)
      if (same === undefined) shop.byClientReference.set(place, [order])
      else same.push(order)
    },
  })
}

/** Finds what was ordered under the client's own reference. */
export function search(
  shop: Shop,
  { mount, query }: Call,
  operation: 'collect' | 'disburse',
  describe: Describe,
): Answer {
  const place = placeOf(mount.path, operation, query.get('client_reference') ?? '')
  const found = shop.byClientReference.get(place) ?? []
  for (const order of found) play(shop.books, letGo(order))
  return { status: 200, body: { result: found.map((order) => describe(order, order)) } }
}

function placeOf(path: string, operation: string, clientReference: string): string {
  return `${path} ${operation} ${clientReference}`
}

function webhook(url: string, type: string, data: object, { isForged }: Claim) {
  const body = JSON.stringify({ id: `EV_${randomUUID().replaceAll('-', '')}`, type, data })
  const time = String(Math.floor(Date.now() / 1000))
  const secret = isForged ? wrongSecret : webhookSecret
  const signature = createHmac('sha256', secret).update(time).update(body).digest('hex')
  const headers = { 'checkout-signature': `t=${time},v1=${signature}` }
  return { method: 'POST', url, headers, body, isForged } as const
}

/** A refusal in this protocol's words. */
export function refusal(status: number, code: string, message: string): Answer {
  return { status, body: { code, message } }
}

/** The answer to a request that cannot be understood. */
export function invalid(message: string): Answer {
  return refusal(400, 'request-validation-error', message)
}

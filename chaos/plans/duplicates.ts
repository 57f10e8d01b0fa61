import type { Order, Sender } from '../sender.ts'
import { post } from './payments.ts'

const kinds = ['init', 'link', 'bill', 'refund'] as const
const groupsAtOnce = 4

/**
 * The same request 2 to 200 times at the same moment. Several clients are given the same job, so
 * the copies of a group also come from several processes. Half of the groups have an
 * Idempotency-Key. `job.count` is how many requests this client sends in all.
 */
export async function sendDuplicates(sender: Sender): Promise<unknown> {
  const { job } = sender
  const original = job.more.originals as string[]
  let sent = 0
  let group = 0
  const next = () => {
    const size = 2 + Math.floor(sender.random(group, 1) ** 3 * 198)
    const copies = Math.max(1, Math.ceil(size / Number(job.more.clients)))
    const order = orderOf(sender, group, original)
    group += 1
    sent += copies
    return Array.from({ length: copies }, () => sender.send(order))
  }
  while (sent < job.count)
    await Promise.all(Array.from({ length: groupsAtOnce }, () => Promise.all(next())))
  return { groups: group }
}

/** The request of a group: the same in every client, and again with `group + 2`'s own id. */
function orderOf({ job, random }: Sender, group: number, originals: string[]): Order {
  const kind = kinds[group % kinds.length] ?? 'init'
  const merchant = kind === 'refund' ? 0 : group
  const common = {
    externalTransactionId: `${String(job.more.prefix)}-${group}`,
    callBackURL: job.webhookUrl,
  }
  const pages = { successUrl: 'http://127.0.0.1/thanks', failureUrl: 'http://127.0.0.1/sorry' }
  const amount = 200 + Math.floor(random(group, 2) * 800)
  const id = originals[Math.floor(group / kinds.length) % Math.max(1, originals.length)] ?? ''
  const orders: Record<(typeof kinds)[number], [string, object]> = {
    init: [
      '/api/v1/transaction/init',
      { ...common, ...pages, serviceCode: 'WALLETA_SN_CASHOUT', amount, number: '771234567' },
    ],
    link: [
      '/api/v1/transaction/merchant/get-link',
      { ...common, ...pages, ItemName: 'Panier', ItemPrice: amount },
    ],
    bill: [
      '/api/v1/billing/pay',
      { ...common, serviceCode: 'PREPAID_SN_BILL', reference_client: '200000001', amount },
    ],
    refund: [`/api/v1/transaction/refund/${id}`, { ...common, amount: 200 }],
  }
  const [path, body] = orders[kind]
  const key = `key-${String(job.more.prefix)}-${group}`
  const order = post(merchant, path, body)
  return Math.floor(group / kinds.length) % 2 === 0
    ? order
    : { ...order, headers: { 'idempotency-key': key } }
}

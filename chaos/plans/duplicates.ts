import type { Order, Sender } from '../sender.ts'
import { post } from './payments.ts'

const kinds = ['init', 'link', 'bill', 'refund', 'shop'] as const
const groupsAtOnce = 4

/**
 * The same request 2 to 200 times at the same moment. Several clients are given the same job, so
 * the copies of a group also come from several processes. Half of the groups have an
 * Idempotency-Key, half of these no external id where it may be left out. `job.count` is how many
 * requests this client sends in all. With `insists` all have a key, and are sent until answered.
 */
export async function sendDuplicates(sender: Sender): Promise<unknown> {
  const { job } = sender
  const original = job.more.originals as string[]
  let sent = 0
  let settled = 0
  let group = 0
  const next = () => {
    const size = 2 + Math.floor(sender.random(group, 1) ** 3 * 198)
    const copies = Math.max(1, Math.ceil(size / Number(job.more.clients)))
    const order = orderOf(sender, group, original)
    group += 1
    sent += copies
    const send = job.more.insists === true ? sender.insist : sender.send
    const sendOne = async () => {
      const { status, text } = await send(order)
      if (status > 0 && status < 500 && !text.includes('REQUEST_IN_PROGRESS')) settled += 1
    }
    return Array.from({ length: copies }, sendOne)
  }
  while (sent < job.count)
    await Promise.all(Array.from({ length: groupsAtOnce }, () => Promise.all(next())))
  return { groups: group, sent, settled }
}

/** The request of a group: the same in every client, and again with `group + 2`'s own id. */
function orderOf({ job, random }: Sender, group: number, originals: string[]): Order {
  const kind = kinds[group % kinds.length] ?? 'init'
  const merchant = kind === 'refund' ? 0 : group
  const turn = Math.floor(group / kinds.length)
  const hasKey = turn % 2 === 1 || kind === 'shop' || job.more.insists === true
  const isNamed = !hasKey || turn % 4 !== 1 || kind === 'init' || kind === 'link'
  const externalTransactionId = `${String(job.more.prefix)}-${group}`
  const common = {
    ...(isNamed ? { externalTransactionId } : {}),
    callBackURL: job.webhookUrl,
  }
  const key = `key-${externalTransactionId}`
  const pages = { successUrl: 'http://127.0.0.1/thanks', failureUrl: 'http://127.0.0.1/sorry' }
  const amount = 200 + Math.floor(random(group, 2) * 800)
  const id = originals[turn % Math.max(1, originals.length)] ?? ''
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
    shop: ['/api/v1/sub-merchant', { name: key, commercialName: 'Boutique', countries: ['SN'] }],
  }
  const [path, body] = orders[kind]
  const order = post(merchant, path, body)
  return hasKey ? { ...order, headers: { 'idempotency-key': key } } : order
}

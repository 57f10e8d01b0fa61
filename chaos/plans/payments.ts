import type { Choice } from '../client-job.ts'
import { untilTurn } from '../pace.ts'
import type { Order, Sender } from '../sender.ts'

const lookUpEvery = 20
// A gateway that is down or starved must not pile up more work than it can ever end.
const underWayMax = 2000

/**
 * Payments at a steady rate, whatever becomes of those before (an open loop). Each is repeated
 * until it is answered for good. Every twentieth is looked up afterwards, by its own merchant and
 * by another one.
 */
export async function payAtRate(sender: Sender, stopping: AbortSignal): Promise<unknown> {
  const { rate, seconds, more } = sender.job
  const most = Number(more.underWayMax ?? underWayMax)
  const startedMs = performance.now()
  const endMs = startedMs + seconds * 1000
  const underWay = new Set<Promise<void>>()
  // Not a race of all that is under way: each payment would be told of the end of 2,000 others.
  let goOn: (() => void) | undefined
  let index = 0
  while (performance.now() < endMs && !stopping.aborted) {
    await untilTurn(startedMs, index, rate, stopping)
    if (underWay.size >= most) await new Promise<void>((resolve) => (goOn = resolve))
    const one = payOne(sender, index).finally(() => {
      underWay.delete(one)
      goOn?.()
    })
    underWay.add(one)
    index += 1
  }
  await Promise.all(underWay)
  return { payments: index }
}

async function payOne(sender: Sender, index: number): Promise<void> {
  const order = paymentOf(sender, index)
  const { status, json } = await sender.insist(order)
  if (status !== 201 || index % lookUpEvery !== 0) return
  const { transactionId } = json().transaction as { transactionId: string }
  const path = `/api/v1/transaction/${transactionId}`
  await sender.send({ merchant: order.merchant, method: 'GET', path })
  await sender.send({ merchant: order.merchant + 1, method: 'GET', path })
}

/** The payment of an index: the same for the same seed. */
export function paymentOf(sender: Sender, index: number): Order {
  const { job, random } = sender
  const { service, number } = choose(job.choices, random(index, 1))
  const merchant = Math.floor(random(index, 2) * job.merchants.length)
  const externalTransactionId = `${job.name}-${index}`
  const amount = 200 + Math.floor(random(index, 3) * 800)
  const urls = (job.more.webhookUrls as string[] | undefined) ?? [job.webhookUrl]
  const callBackURL = urls[index % urls.length]
  if (service.endsWith('_BILL'))
    return post(merchant, '/api/v1/billing/pay', {
      externalTransactionId,
      serviceCode: service,
      reference_client: number,
      amount,
      callBackURL,
    })
  return post(merchant, '/api/v1/transaction/init', {
    externalTransactionId,
    serviceCode: service,
    amount,
    number,
    callBackURL,
    successUrl: 'http://127.0.0.1/thanks',
    failureUrl: 'http://127.0.0.1/sorry',
  })
}

/** A POST of a merchant. */
export function post(merchant: number, path: string, body: object): Order {
  return { merchant, method: 'POST', path, body }
}

function choose(choices: Choice[], random: number): Choice {
  const sum = choices.reduce((all, { weight }) => all + weight, 0)
  let left = random * sum
  for (const choice of choices) {
    left -= choice.weight
    if (left < 0) return choice
  }
  const [first] = choices
  if (first === undefined) throw new Error('a job without choices')
  return first
}

/** A payout to a number of the lab that pays. */
export function payoutOf(
  { job }: Sender,
  { merchant, id, amount }: { merchant: number; id: string; amount: number },
): Order {
  return post(merchant, '/api/v1/transaction/init', {
    externalTransactionId: `${job.name}-${id}`,
    serviceCode: 'WALLETA_SN_CASHIN',
    amount,
    number: '771234567',
    callBackURL: job.webhookUrl,
    successUrl: 'http://127.0.0.1/thanks',
    failureUrl: 'http://127.0.0.1/sorry',
  })
}

import { setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from '#base/kit/clock.ts'
import { Problem } from '#base/kit/problem.ts'
import { ExitProblem, exitCodes } from '../exit.ts'
import { type Gateway, refusal, unreachable } from './gateway.ts'

/** The body of an order, under the names of the interface. */
export interface Order {
  externalTransactionId: string
  serviceCode: string
  amount: number
  number: string
  callBackURL: string
  successUrl: string
  failureUrl: string
}

/** A payment as the answer to its order shows it. */
export interface Recorded {
  transactionId: string
  Status: string
  serviceCode?: string
  amount?: number
  number?: string
  transactionFee?: number
  cashout_url?: string
  nextStep?: { type: 'push' | 'redirect' | 'otp'; instruction: string }
}

/** A payment as a lookup shows it. */
export interface Looked {
  transactionId: string
  externalTransactionId: string
  Status: string
  Type: string
  Amount: number
  Fee: number
  Completed_at: string | null
  failure?: { code: string; message: string; retryable: boolean }
  token?: string
}

/** What became of an order. */
export interface Sent {
  /** The status and the body of the answer. */
  answer: { status: number; body: object }
  payment: Recorded
  /** False: the same order was there before. */
  isNew: boolean
  tookMs: number
}

/** How long something may take, and who is told what is going on. */
export interface Patience {
  /** By the monotonic clock. */
  untilMs: number
  signal: AbortSignal
  tell(sentence: string): void
}

const retryMs = 1000

/** Whether an answer says nothing of the gateway's records: that of a proxy before it, mostly. */
function isUnclear(status: number): boolean {
  return status === 408 || (status >= 500 && status !== 503)
}

/**
 * Sends an order until it is known that the gateway has it. An external id can be used once: when
 * an answer is lost, the payment is looked up and the same order sent again, which makes a payment
 * if there is none, and shows the one there is.
 */
export async function sendOrder(gateway: Gateway, order: Order, patience: Patience): Promise<Sent> {
  for (let mayHaveArrived = false; ; ) {
    const beganMs = monotonicMs()
    const answer = await gateway.ask('POST', '/api/v1/transaction/init', order)
    if (answer.kind === 'answered' && !isUnclear(answer.status)) {
      const { status, body } = answer
      const tookMs = Math.round(monotonicMs() - beganMs)
      if (status === 201) return { answer, payment: body.transaction, isNew: true, tookMs }
      if (status === 409) return { ...sameOrder(order, answer), tookMs }
      // Neither was recorded: the gateway never answers 5xx after a commit.
      if (status !== 429 && status !== 503) throw refusal(gateway, answer)
      patience.tell(`The gateway answers ${status}: trying again.`)
      await pause(patience, order, answer.retryAfterMs)
    } else {
      if (answer.kind === 'not_sent' && !mayHaveArrived) throw unreachable(gateway)
      mayHaveArrived = true
      const isThere = await lookUp(gateway, order, patience)
      if (!isThere) await pause(patience, order, retryMs)
    }
  }
}

/** The payment that has the external id already, if it is the same one. */
function sameOrder(
  order: Order,
  { status, body }: { status: number; body: { message?: string[]; transaction?: Recorded } },
): Omit<Sent, 'tookMs'> {
  const { transaction: payment } = body
  const id = order.externalTransactionId
  if (payment === undefined) throw new Problem(`${id}: ${(body.message ?? []).join('; ')}.`)
  const { serviceCode, amount, number } = payment
  if (serviceCode !== order.serviceCode || amount !== order.amount || number !== order.number)
    throw new Problem(
      `${id} is another payment already: ${serviceCode ?? 'a link or a bill'}, ` +
        `${amount ?? '?'} F CFA, ${number ?? '?'}. Choose another --external-id.`,
    )
  return { answer: { status, body }, payment, isNew: false }
}

/** Looks an order up whose answer was lost, until the gateway tells whether it has it. */
async function lookUp(gateway: Gateway, order: Order, patience: Patience): Promise<boolean> {
  const id = order.externalTransactionId
  patience.tell(`The answer was lost. Looking the payment up as ${id}.`)
  for (;;) {
    const answer = await gateway.ask('GET', `/api/v1/transaction/${encodeURIComponent(id)}`)
    if (answer.kind === 'answered' && [200, 404].includes(answer.status)) {
      const isThere = answer.status === 200
      patience.tell(isThere ? 'The gateway has it.' : 'The gateway has nothing: sending it again.')
      return isThere
    }
    if (answer.kind === 'answered' && !isPassing(answer.status)) throw refusal(gateway, answer)
    await pause(patience, order, retryMs)
  }
}

/** Whether asking again later may help. */
function isPassing(status: number): boolean {
  return status === 429 || status === 503 || isUnclear(status)
}

/** Waits; throws when the time is over. */
async function pause(
  { untilMs, signal }: Patience,
  { externalTransactionId: id }: Order,
  ms: number,
): Promise<void> {
  if (monotonicMs() + ms > untilMs)
    throw new ExitProblem(
      exitCodes.unknown,
      `It is not known whether the gateway has ${id}: run the same command with ` +
        `--external-id ${id}, which cannot pay twice.`,
    )
  await sleep(ms, undefined, { signal })
}

// Often at first, then seldom: a key may ask 100 times a minute.
const pollsMs = [100, 200, 300, 400, 500, 500, 1000]
const laterPollMs = 2000

/**
 * Looks a payment up until it has ended, through outages too, and reports each status that it goes
 * through. Undefined: the time is over, and it is still open.
 */
export async function followToEnd(
  gateway: Gateway,
  id: string,
  { untilMs, signal, tell }: Patience,
  report: (status: string) => void,
): Promise<Looked | undefined> {
  let shown = ''
  for (let polls = 0; ; polls += 1) {
    const answer = await gateway.ask('GET', `/api/v1/transaction/${encodeURIComponent(id)}`)
    let waitMs = pollsMs[polls] ?? laterPollMs
    if (answer.kind === 'answered' && answer.status === 200) {
      const payment: Looked = answer.body.transaction
      if (payment.Status !== shown) report(payment.Status)
      shown = payment.Status
      if (payment.Completed_at !== null) return payment
    } else if (answer.kind === 'answered' && !isPassing(answer.status))
      throw refusal(gateway, answer)
    else {
      if (answer.kind === 'answered') waitMs = answer.retryAfterMs
      tell('The gateway does not answer now: asking again.')
    }
    if (monotonicMs() + waitMs > untilMs) return undefined
    await sleep(waitMs, undefined, { signal })
  }
}

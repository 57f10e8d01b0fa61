import { setTimeout as sleep } from 'node:timers/promises'
import type { Sender } from '../sender.ts'
import { post } from './payments.ts'

const atOnce = 50
const amount = 1000
// Whole refunds of one payment, or parts that overlap: of 1000 francs 600 and 600 cannot both pass.
const manners = [
  [amount, amount],
  [600, 600, 400],
  [500, 500, 500],
]

/**
 * Collections that are refunded several times at the same moment once they have succeeded. Reports
 * how many were refunded and how many francs were accepted of each manner.
 */
export async function raceRefunds(sender: Sender): Promise<unknown> {
  const totals = manners.map((parts) => ({ parts, payments: 0, refunded: 0, whole: 0 }))
  let index = 0
  const callers = Array.from({ length: atOnce }, async () => {
    while (index < sender.job.count) {
      const own = index
      index += 1
      const id = await collect(sender, own)
      const total = totals[own % totals.length]
      if (id === undefined || total === undefined) continue
      const refunded = await refund(sender, own, id, total.parts)
      total.payments += 1
      total.refunded += refunded
      if (refunded === amount) total.whole += 1
    }
  })
  await Promise.all(callers)
  return totals
}

/** Collects, waits until the payer has paid, and returns the id; undefined if it failed. */
async function collect(sender: Sender, own: number): Promise<string | undefined> {
  const { job } = sender
  const order = post(own, '/api/v1/transaction/init', {
    externalTransactionId: `${job.name}-${own}`,
    serviceCode: 'WALLETA_SN_CASHOUT',
    amount,
    number: '771234567',
    callBackURL: job.webhookUrl,
    successUrl: 'http://127.0.0.1/thanks',
    failureUrl: 'http://127.0.0.1/sorry',
  })
  const { status, json } = await sender.insist(order)
  if (status !== 201) return undefined
  const { transactionId } = json().transaction as { transactionId: string }
  const path = `/api/v1/transaction/${transactionId}`
  for (let tries = 0; tries < 200; tries += 1) {
    await sleep(250)
    const answer = await sender.send({ merchant: own, method: 'GET', path })
    if (answer.status !== 200) continue
    const { Status } = answer.json().transaction as { Status: string }
    if (Status === 'SUCCESS') return transactionId
    if (Status === 'FAILED' || Status === 'CANCELLED') return undefined
  }
  return undefined
}

async function refund(sender: Sender, own: number, id: string, parts: number[]): Promise<number> {
  const answers = await Promise.all(
    parts.map((part, number) =>
      sender.insist(
        post(own, `/api/v1/transaction/refund/${id}`, {
          externalTransactionId: `${sender.job.name}-${own}-refund-${number}`,
          amount: part,
          callBackURL: sender.job.webhookUrl,
        }),
      ),
    ),
  )
  return answers.reduce((sum, { status }, at) => sum + (status < 300 ? (parts[at] ?? 0) : 0), 0)
}

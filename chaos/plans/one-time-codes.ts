import { setTimeout as sleep } from 'node:timers/promises'
import type { Sender } from '../sender.ts'
import { post } from './payments.ts'

const atOnce = 40
const rightCodes = ['123456', '123456', '123456']
const wrongCodes = 10

/**
 * Everything that can happen to a payment, at one moment: the right code three times and wrong ones
 * beside it, refunds, lookups; and the provider's callbacks, by the numbers that the job chooses.
 */
export async function raceEverything(sender: Sender): Promise<unknown> {
  const { job } = sender
  let index = 0
  const callers = Array.from({ length: atOnce }, async () => {
    while (index < job.count) {
      const own = index
      index += 1
      await raceOne(sender, own)
    }
  })
  await Promise.all(callers)
  return { raced: index }
}

async function raceOne(sender: Sender, own: number): Promise<void> {
  const { job } = sender
  const choice = job.choices[own % job.choices.length]
  if (choice === undefined) return
  const order = post(own, '/api/v1/transaction/init', {
    externalTransactionId: `${job.name}-${own}`,
    serviceCode: choice.service,
    amount: 500,
    number: choice.number,
    callBackURL: job.webhookUrl,
    successUrl: 'http://127.0.0.1/thanks',
    failureUrl: 'http://127.0.0.1/sorry',
  })
  const { status, json } = await sender.insist(order)
  if (status !== 201) return
  const { transactionId } = json().transaction as { transactionId: string }
  const confirm = '/api/v1/transaction/confirm/walletd'
  // Of eight digits, which the search for secrets finds if any is written down.
  const wrong = 10_000_000 + Math.floor(sender.random(own % wrongCodes, 9) * 89_999_999)
  const codes = [...rightCodes, '000000', String(wrong)]
  const confirmations = choice.service.startsWith('WALLETD')
    ? codes.map((otp) => sender.send(post(own, confirm, { transactionId, otp })))
    : []
  // Some of the refunds come before the payment has succeeded, some just after.
  const refunds = [0, 1, 2].map(async (turn) => {
    await sleep(turn * 150)
    const path = `/api/v1/transaction/refund/${transactionId}`
    const externalTransactionId = `${job.name}-${own}-refund-${turn}`
    await sender.send(post(own, path, { amount: 300, externalTransactionId }))
  })
  const path = `/api/v1/transaction/${transactionId}`
  const lookups = [0, 1].map(() => sender.send({ merchant: own, method: 'GET', path }))
  await Promise.all([...confirmations, ...refunds, ...lookups])
}

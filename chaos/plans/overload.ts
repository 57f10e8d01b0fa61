import { untilTurn } from '../pace.ts'
import type { Sender } from '../sender.ts'
import { paymentOf } from './payments.ts'

/** `job.count` callers, each of which sends its next payment when the last was answered. */
export async function payInClosedLoop(sender: Sender): Promise<unknown> {
  const { seconds, count } = sender.job
  const endMs = performance.now() + seconds * 1000
  let index = 0
  const callers = Array.from({ length: count }, async () => {
    while (performance.now() < endMs) {
      index += 1
      await sender.once(paymentOf(sender, index))
    }
  })
  await Promise.all(callers)
  return { payments: index }
}

/** Payments at a rate, each sent once, whatever is answered. */
export async function payInOpenLoop(sender: Sender): Promise<unknown> {
  const { rate, seconds } = sender.job
  const startedMs = performance.now()
  const answers: Promise<unknown>[] = []
  for (let index = 0; index < rate * seconds; index += 1) {
    await untilTurn(startedMs, index, rate)
    answers.push(sender.once(paymentOf(sender, index)))
  }
  await Promise.all(answers)
  return { payments: answers.length }
}

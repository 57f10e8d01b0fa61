import type { Sender } from '../sender.ts'
import { payoutOf } from './payments.ts'

/**
 * Parallel payouts of each merchant, of which its balance pays for one only. Reports how many were
 * accepted of each merchant.
 */
export async function raceDebits(sender: Sender): Promise<unknown> {
  const { job } = sender
  const [first, last, each, amount] = ['first', 'last', 'each', 'amount'].map((name) =>
    Number(job.more[name]),
  ) as [number, number, number, number]
  const accepted: Record<string, number> = {}
  for (let merchant = first; merchant < last; merchant += 1) {
    const answers = await Promise.all(
      Array.from({ length: each }, (_, index) =>
        sender.insist(payoutOf(sender, { merchant, id: `${merchant}-${index}`, amount })),
      ),
    )
    const name = job.merchants[merchant]?.name ?? ''
    accepted[name] = answers.filter(({ status }) => status === 201).length
  }
  return accepted
}

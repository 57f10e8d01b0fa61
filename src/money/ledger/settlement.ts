import { newId } from '#base/kit/ids.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { post } from './post.ts'
import { fund, withdraw } from './postings.ts'

interface Settlement {
  clientId: number
  /** Whole francs: above zero funds the merchant, below zero pays money out to it. */
  amount: number
  /** The bank's reference; the second use of one in the same direction is refused. */
  ref: string
  now: Date
  actor: string
}

/** Moves money between a merchant and the outside world, once for each reference. */
export async function settle(
  tx: Tx,
  settlement: Settlement,
): Promise<{ before: number; after: number }> {
  const { clientId, amount, ref, now } = settlement
  const head = { clientId, id: newId(now), ref }
  const posting = amount > 0 ? fund(head, amount) : withdraw(head, -amount)
  const [posted] = await post(tx, [posting], now)
  if (posted?.isPosted) {
    await recordAudit(tx, {
      at: now,
      actor: settlement.actor,
      action: `client.${posting.kind}`,
      clientId,
      details: { amount, ref },
    })
    return posted.available
  }
  if (posted?.because === 'insufficient')
    throw new Refusal('insufficient_funds', 'Insufficient balance')
  throw new Refusal('conflict', reason('The reference {ref} was used before', { ref }))
}

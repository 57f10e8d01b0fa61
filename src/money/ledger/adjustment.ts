import { newId } from '#base/kit/ids.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { services } from '#merchants/catalog/services.ts'
import { post } from './post.ts'
import { adjust as adjustPosting } from './postings.ts'

interface Adjustment {
  clientId: number
  /** Whole francs: above zero gives them to the merchant, below zero takes them. */
  amount: number
  /** The account on the other side. */
  account: string
  /** Its name; the second use of one is refused. */
  ref: string
  reason: string
  now: Date
  actor: string
}

/**
 * The accounts that can stand on the other side: our fees, and the providers that settle in XOF.
 * Money in suspense goes back to its payer by `send-back`, and money at the bank by `fund`.
 */
export const adjustableAccounts: readonly string[] = [
  'fees',
  ...new Set(
    services
      .filter(({ currency }) => currency === 'XOF')
      .map(({ provider, country }) => `provider:${provider}:${country}`),
  ),
]

/** Corrects a merchant's balance against a named account, once for each reference. */
export async function adjust(
  tx: Tx,
  order: Adjustment,
): Promise<{ before: number; after: number }> {
  const { clientId, amount, account, ref, now, actor } = order
  if (!adjustableAccounts.includes(account))
    throw new Refusal(
      'validation_failed',
      reason('{account} cannot be adjusted', { account }, 'account'),
    )
  const posting = adjustPosting({ clientId, id: newId(now), ref }, account, amount)
  const [posted] = await post(tx, [posting], now)
  if (posted?.isPosted) {
    const details = { amount, account, ref, reason: order.reason }
    await recordAudit(tx, { at: now, actor, action: 'client.adjust', clientId, details })
    return posted.available
  }
  if (posted?.because === 'insufficient')
    throw new Refusal('insufficient_funds', 'Insufficient balance')
  throw new Refusal('conflict', reason('The reference {ref} was used before', { ref }))
}

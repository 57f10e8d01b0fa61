import type { Tx } from '#data/db/db.ts'
import { type Move, move } from '#money/lifecycle/move.ts'
import { nextOf, type TriggerOf } from '#money/lifecycle/transitions.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { attemptsMax, type Link } from './link.ts'
import { lockLinks, updateLinks } from './store.ts'

/** A link that has ended, and the payment that ended it, or else the last one that was begun. */
export interface EndedLink {
  link: Link
  payment: Transaction | null
}

/**
 * Updates the links of payments that have just ended, in the database transaction that ends them,
 * and returns the links that ended with them. A failed payment leaves its link open for another
 * one, unless it was the last allowed or the link's lifetime is over.
 */
export async function followPayments(
  tx: Tx,
  ended: Transaction[],
  now: Date,
): Promise<EndedLink[]> {
  const payments = ended.filter(({ linkId }) => linkId !== null)
  if (payments.length === 0) return []
  const links = await lockLinks(
    tx,
    payments.map(({ clientId, linkId }) => ({ clientId, id: linkId ?? '' })),
  )
  const byId = new Map(links.map((link) => [link.id, link]))
  const ends: (EndedLink & { trigger: TriggerOf<'link'> })[] = []
  for (const payment of payments) {
    const link = byId.get(payment.linkId ?? '')
    if (link?.openId !== payment.id)
      throw new Error(`payment ${payment.id} is not the one under way on its link`)
    link.openId = null
    link.dueAt = link.expiresAt
    const trigger = triggerFor(link, payment, now)
    if (trigger !== undefined) ends.push({ link, payment, trigger })
  }
  await updateLinks(tx, links)
  await endLinks(tx, ends, now)
  return ends.map(({ link, payment }) => ({ link, payment }))
}

/** How the end of a payment ends its link; undefined: another payment may begin. */
function triggerFor(link: Link, payment: Transaction, now: Date): TriggerOf<'link'> | undefined {
  if (payment.status === 'SUCCESS') return 'payment_succeeded'
  if (link.attempts >= attemptsMax) return 'attempts_exhausted'
  return now >= link.expiresAt ? 'lifetime_over' : undefined
}

/** Ends locked links, and updates the objects given to match their rows. */
export async function endLinks(
  tx: Tx,
  ends: (EndedLink & { trigger: TriggerOf<'link'> })[],
  now: Date,
): Promise<void> {
  if (ends.length === 0) return
  const moves = ends.map(({ link: { clientId, id, status: from }, trigger }): Move<'link'> => {
    return { resource: 'link', clientId, id, from, trigger, at: now }
  })
  for (const { link, payment, trigger } of ends) {
    const next = nextOf('link', link.status, trigger)
    if (next === undefined) throw new Error(`${trigger} leads nowhere from ${link.status}`)
    link.status = next.to
    link.completedAt = now
    link.dueAt = null
    if (trigger === 'payment_succeeded') link.paidId = payment?.id ?? null
  }
  await move(tx, moves)
  await updateLinks(
    tx,
    ends.map(({ link }) => link),
  )
}

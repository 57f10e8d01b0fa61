import { after } from '#base/kit/clock.ts'
import { claimDue, type Sweeper, startSweeper } from '#data/db/due.ts'
import type { TriggerOf } from '#money/lifecycle/transitions.ts'
import type { LinkContext } from './context.ts'
import { endLinks } from './follow.ts'
import type { Link } from './link.ts'
import { findClientsLink, lockLinks, postponeLink, readTries, shortenLifetime } from './store.ts'

type EndContext = Pick<LinkContext, 'db' | 'clock' | 'announceLinks'>

interface Id {
  clientId: number
  id: string
}

/** Ends a link that its payer gives up; false while a payment is under way, or after its end. */
export function giveUpLink(context: EndContext, id: Id): Promise<boolean> {
  return endLink(context, id, () => 'payer_gave_up')
}

/** Ends a link whose lifetime is over; false while a payment is under way. */
export function expireLink(context: EndContext, id: Id): Promise<boolean> {
  return endLink(context, id, (link, now) => (now >= link.expiresAt ? 'lifetime_over' : undefined))
}

/**
 * Ends the lifetime of a link now, before its time: no payment can begin any more. One that is
 * under way decides how the link ends. False: it had ended before.
 */
export async function withdrawLink(context: EndContext, id: Id): Promise<boolean> {
  const { db, clock } = context
  const isOpen = await db.transaction(async (tx) => {
    const [link] = await lockLinks(tx, [id])
    if (link?.status !== 'PENDING') return false
    const now = clock.now()
    if (now < link.expiresAt) await shortenLifetime(tx, id, now)
    return true
  })
  // The sweeper would end it too, a moment later.
  if (isOpen) await expireLink(context, id)
  return isOpen
}

async function endLink(
  { db, clock, announceLinks }: EndContext,
  id: Id,
  triggerFor: (link: Link, now: Date) => TriggerOf<'link'> | undefined,
): Promise<boolean> {
  const afterCommit = await db.transaction(async (tx) => {
    const [link] = await lockLinks(tx, [id])
    const now = clock.now()
    if (link?.status !== 'PENDING' || link.openId !== null) return undefined
    const trigger = triggerFor(link, now)
    if (trigger === undefined) return undefined
    // The number of the event is the last payer's, as a lookup shows it.
    const [payment = null] = link.attempts === 0 ? [] : await readTries(tx, link)
    const ended = { link, payment }
    await endLinks(tx, [{ ...ended, trigger }], now)
    return announceLinks(tx, [ended], now)
  })
  afterCommit?.()
  return afterCommit !== undefined
}

const leaseMs = 20_000
const lookAgainMs = 300_000

/** Ends links whose lifetime is over; any process may run it. */
export function startLinkSweeper(context: LinkContext): Sweeper {
  const { db, clock, log } = context
  return startSweeper({
    name: 'links',
    claim: (now, limit) => claimDue(db, { table: 'links', now, leaseMs, limit }),
    work: async (due) => {
      await Promise.all(
        due.map((id) =>
          endOrWait(context, id).catch((problem: unknown) =>
            log.error({ err: problem, linkId: id.id }, 'a link will be looked at again'),
          ),
        ),
      )
    },
    batchMax: 100,
    idleMs: 1000,
    clock,
    log,
  })
}

/** Ends a link, or waits for the payment under way on it, with whose end it ends. */
async function endOrWait(context: LinkContext, id: Id): Promise<void> {
  if (await expireLink(context, id)) return
  const link = await findClientsLink(context.db, id.clientId, id)
  if (link === undefined || link.openId === null) return
  await postponeLink(context.db, id, after(context.clock.now(), lookAgainMs))
}

import type { Tx } from '../db/db.ts'
import type { Sweeper } from '../db/due.ts'
import { claimDue, startSweeper } from '../db/due.ts'
import { after } from '../kit/clock.ts'
import type { TriggerOf } from '../lifecycle/transitions.ts'
import { dropOutdated } from '../transactions/drop.ts'
import type { Engine } from '../transactions/open.ts'
import type { EndedLink } from './follow.ts'
import { endLinks } from './follow.ts'
import type { Link } from './link.ts'
import { findClientsLink, lockLinks, postponeLink } from './store.ts'

/** Writes what merchants are told of links that have ended, in the transaction that ends them. */
export type AnnounceLinks = (tx: Tx, ended: EndedLink[], now: Date) => Promise<() => void>

type Ending = Engine & { announceLinks: AnnounceLinks }

interface Id {
  clientId: number
  id: string
}

/** Ends a link at its payer's wish; false while a payment is under way, or after its end. */
export function giveUpLink(parts: Ending, id: Id): Promise<boolean> {
  return endLink(parts, id, () => 'payer_gave_up')
}

/** Ends a link whose time is over; a payment that is under way is waited for. */
export function expireLink(parts: Ending, id: Id): Promise<boolean> {
  return endLink(parts, id, (link, now) => (now >= link.expiresAt ? 'lifetime_over' : undefined))
}

async function endLink(
  { db, clock, announceLinks }: Ending,
  id: Id,
  triggerFor: (link: Link, now: Date) => TriggerOf<'link'> | undefined,
): Promise<boolean> {
  const tell = await db.transaction(async (tx) => {
    const [link] = await lockLinks(tx, [id])
    const now = clock.now()
    if (link?.status !== 'PENDING' || link.openId !== null) return undefined
    const trigger = triggerFor(link, now)
    if (trigger === undefined) return undefined
    const ended = { link, payment: null }
    await endLinks(tx, [{ ...ended, trigger }], now)
    return announceLinks(tx, [ended], now)
  })
  tell?.()
  return tell !== undefined
}

const leaseMs = 20_000
const lookAgainMs = 300_000

/** Ends links when their time is over, in whatever process looks first. */
export function startLinkSweeper(parts: Ending): Sweeper {
  const { db, clock, log } = parts
  return startSweeper({
    name: 'links',
    claim: (now, limit) => claimDue(db, { table: 'links', now, leaseMs, limit }),
    work: async (due) => {
      await Promise.all(
        due.map((id) =>
          lookAfter(parts, id).catch((problem: unknown) =>
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

/**
 * Ends a link, or waits for the payment under way on it. One that waits for a code which has run
 * out would be waited for for ever: it is dropped, and the link ends with it.
 */
async function lookAfter(parts: Ending, id: Id): Promise<void> {
  if (await expireLink(parts, id)) return
  const link = await findClientsLink(parts.db, id.clientId, id)
  if (link === undefined || link.openId === null) return
  await dropOutdated(parts, { clientId: id.clientId, id: link.openId })
  await postponeLink(parts.db, id, after(parts.clock.now(), lookAgainMs))
}

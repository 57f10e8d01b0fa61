import type { Tx } from '../kit/db.ts'
import type { Sweeper } from '../kit/due.ts'
import { claimDue, startSweeper } from '../kit/due.ts'
import type { TriggerOf } from '../lifecycle/transitions.ts'
import type { Engine } from '../transactions/engine.ts'
import type { EndedLink } from './follow.ts'
import { endLinks } from './follow.ts'
import type { Link } from './link.ts'
import { lockLinks } from './store.ts'

/** Writes what merchants are told of links that have ended, in the transaction that ends them. */
export type AnnounceLinks = (tx: Tx, ended: EndedLink[], now: Date) => Promise<() => void>

type Ending = Pick<Engine, 'db' | 'clock' | 'log'> & { announceLinks: AnnounceLinks }

/** Ends a link at its payer's wish; false while a payment is under way, or after its end. */
export function giveUpLink(parts: Ending, id: { clientId: number; id: string }): Promise<boolean> {
  return endLink(parts, id, () => 'payer_gave_up')
}

/** Ends a link whose time is over; a payment that is under way is waited for. */
export function expireLink(parts: Ending, id: { clientId: number; id: string }): Promise<boolean> {
  return endLink(parts, id, (link, now) => (now >= link.expiresAt ? 'lifetime_over' : undefined))
}

async function endLink(
  { db, clock, announceLinks }: Ending,
  id: { clientId: number; id: string },
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

/** Ends links when their time is over, in whatever process looks first. */
export function startLinkSweeper(parts: Ending): Sweeper {
  const { db, clock, log } = parts
  return startSweeper({
    name: 'links',
    claim: (now, limit) => claimDue(db, { table: 'links', now, leaseMs, limit }),
    work: async (due) => {
      await Promise.all(
        due.map((id) =>
          expireLink(parts, id).catch((problem: unknown) =>
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

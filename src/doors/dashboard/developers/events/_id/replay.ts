import { isUuid } from '#base/kit/ids.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { outcomeOf, outcomeWaitMs } from '#doors/dashboard/developers/webhooks/delivery-words.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { wholeClient } from '#merchants/clients/scope.ts'

/** POST /dashboard/developers/events/:id/replay */
export default function replay(pages: Pages, { webhooks }: DashboardContext): void {
  pages.action(
    '/dashboard/developers/events/:id/replay',
    { action: 'event.resend', reviewed: null },
    async (visit) => {
      const id = visit.part('id')
      const { id: clientId } = visit.client
      if (!isUuid(id) || (await webhooks.events.find(clientId, id)) === undefined) return undefined
      const viewer = wholeClient(clientId)
      const made = await webhooks.feed.replayAll(viewer, [id])
      const became = await webhooks.feed.untilTried(viewer, made, outcomeWaitMs)
      const [delivery] = made
      const to =
        delivery === undefined
          ? `/dashboard/developers/events/${id}`
          : `/dashboard/developers/webhooks/${delivery}`
      return { to, ...outcomeOf(visit, became) }
    },
  )
}

import { wholeClient } from '../../../clients/scope.ts'
import { isUuid } from '../../../kit/ids.ts'
import type { DashboardContext } from '../../context.ts'
import type { Pages } from '../../frame/pages.ts'
import { outcomeText, outcomeWaitMs } from './delivery-words.ts'

/** POST /dashboard/developers/webhooks/replay: those that are ticked. */
export default function replay(pages: Pages, { webhooks }: DashboardContext): void {
  pages.action(
    '/dashboard/developers/webhooks/replay',
    { action: 'event.resend' },
    async (visit, form) => {
      const names = Object.keys(form.fields).filter((name) => name.startsWith('event-'))
      const ids = names.map((name) => name.slice('event-'.length)).filter(isUuid)
      const viewer = wholeClient(visit.client.id)
      const made = await webhooks.feed.replayAll(viewer, ids)
      const became = await webhooks.feed.untilTried(viewer, made, outcomeWaitMs)
      return { to: '/dashboard/developers/webhooks', text: outcomeText(visit, became) }
    },
  )
}

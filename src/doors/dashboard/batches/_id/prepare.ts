import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { findOwn, seenOf } from '../_id.ts'

const verbs = ['propose', 'cancel', 'pause', 'resume', 'retryFailed'] as const

/** POST /dashboard/batches/:id/prepare: what the person who prepares a batch may do. */
export default function prepare(pages: Pages, { batches }: DashboardContext): void {
  pages.action(
    '/dashboard/batches/:id/prepare',
    {
      action: 'payout.propose',
      isSensitive: true,
      reviewed: { find: (visit) => findOwn(batches, visit), facts: seenOf },
    },
    async (visit, form, batch) => {
      const verb = verbs.find((one) => one === form.get('verb'))
      if (verb === undefined) return undefined
      const { clientId, id } = batch
      await batches[verb]({ clientId, id, actor: visit.actor })
      return { to: `/dashboard/batches/${id}` }
    },
  )
}

import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { findOwn, seenOf } from '../_id.ts'

/** POST /dashboard/batches/:id/decide: another person approves a batch, or refuses it. */
export default function decide(pages: Pages, { batches, people }: DashboardContext): void {
  pages.action(
    '/dashboard/batches/:id/decide',
    {
      action: 'payout.approve',
      isSensitive: true,
      reviewed: { find: (visit) => findOwn(batches, visit), facts: seenOf },
    },
    async (visit, form, batch) => {
      const verb = form.get('verb')
      if (!['approve', 'refuse'].includes(verb)) return undefined
      const act = { clientId: batch.clientId, id: batch.id, actor: visit.actor }
      if (verb === 'refuse') await batches.refuse({ ...act, reason: form.get('reason') })
      else {
        // Where one person alone may approve, nobody else could.
        const mayApproveOwn = await people.team.isAloneWith({
          clientId: visit.client.id,
          action: 'payout.approve',
        })
        await batches.approve({ ...act, mayApproveOwn })
      }
      return { to: `/dashboard/batches/${batch.id}` }
    },
  )
}

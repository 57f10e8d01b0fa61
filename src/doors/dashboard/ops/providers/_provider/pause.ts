import { fr, inBoth, plural } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { field } from '#doors/dashboard/frame/fields.ts'
import type { Sent } from '#doors/dashboard/frame/form-page.ts'
import { providerPlace } from '#doors/dashboard/frame/kinds.ts'
import type { Screen } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { readFields } from '#doors/dashboard/frame/read-fields.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { ProviderState } from '#operations/health/judge.ts'
import { confirmCard } from '../confirm-card.ts'
import { providerHref, providerOf, seenOfProvider } from '../provider-words.ts'

const words = inBoth({
  fr: {
    title: 'Mettre en pause',
    what: (place: string, open: number) =>
      fr`Les nouveaux paiements avec ${place} seront refusés ; ${open}
        ${plural.fr(open, 'ordre ouvert continue', 'ordres ouverts continuent')}.`,
    reason: 'Motif',
    reasonHint: fr`Pour le journal d'audit et vos collègues.`,
    done: (place: string) => fr`${place} est en pause ; effet partout dans la seconde.`,
  },
  en: {
    title: 'Pause',
    what: (place: string, open: number) =>
      `New payments with ${place} will be refused; ${open} open ` +
      `${plural.en(open, 'order continues', 'orders continue')}.`,
    reason: 'Reason',
    reasonHint: 'For the audit log and your colleagues.',
    done: (place: string) => `${place} is paused, everywhere within a second.`,
  },
})

const reasonMax = 200

/** GET, POST /dashboard/ops/providers/:provider/pause */
export default function pause(pages: Pages, { health, pauses }: DashboardContext): void {
  pages.form(
    '/dashboard/ops/providers/:provider/pause',
    {
      action: 'ops.providers.change',
      isSensitive: true,
      find: async (visit) => providerOf(visit, await health.providers()),
      facts: seenOfProvider,
      show: screen,
    },
    async (visit, form, one) => {
      const say = words[visit.language]
      const read = readFields(visit.language, form.get)
      const reason = read.line('reason', say.reason, reasonMax, true)
      read.check()
      const { provider, country } = one
      await pauses.begin({ provider, country, reason, actor: visit.actor })
      return { to: providerHref(one), text: say.done(providerPlace(visit.language, one)) }
    },
  )
}

function screen(visit: OpsVisit, one: ProviderState, { typed, problems }: Sent): Screen {
  const { title, what, reason, reasonHint } = words[visit.language]
  const look = { isRequired: true, maxLength: reasonMax, autocomplete: 'off' }
  return confirmCard(visit, one, {
    title,
    text: what(providerPlace(visit.language, one), one.open),
    go: title,
    kind: 'danger',
    fields: field(
      { name: 'reason', label: reason, hint: reasonHint, value: typed?.reason ?? '', ...look },
      problems,
    ),
    problems,
  })
}

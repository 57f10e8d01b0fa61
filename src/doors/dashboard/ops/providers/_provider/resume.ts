import { fr, inBoth, plural } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Sent } from '#doors/dashboard/frame/form-page.ts'
import { providerPlace } from '#doors/dashboard/frame/kinds.ts'
import type { Screen } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { ProviderState } from '#operations/health/judge.ts'
import { confirmCard } from '../confirm-card.ts'
import { providerHref, providerOf, seenOfProvider } from '../provider-words.ts'

const words = inBoth({
  fr: {
    title: 'Reprendre',
    what: (place: string, open: number) =>
      fr`Les nouveaux paiements avec ${place} seront à nouveau acceptés ; le prestataire est
        interrogé sur ${open} ${plural.fr(open, 'ordre ouvert', 'ordres ouverts')}.`,
    done: (place: string) => fr`${place} accepte à nouveau des ordres ; effet partout dans la
      seconde.`,
  },
  en: {
    title: 'Resume',
    what: (place: string, open: number) =>
      `New payments with ${place} will be accepted again; it is asked about ${open} open ` +
      `${plural.en(open, 'order')}.`,
    done: (place: string) => `${place} accepts orders again, everywhere within a second.`,
  },
})

/** GET, POST /dashboard/ops/providers/:provider/resume */
export default function resume(pages: Pages, { health, pauses }: DashboardContext): void {
  pages.form(
    '/dashboard/ops/providers/:provider/resume',
    {
      action: 'ops.providers.change',
      isSensitive: true,
      find: async (visit) => providerOf(visit, await health.providers()),
      facts: seenOfProvider,
      show: screen,
    },
    async (visit, _form, one) => {
      const { provider, country } = one
      await pauses.end({ provider, country, actor: visit.actor })
      const text = words[visit.language].done(providerPlace(visit.language, one))
      return { to: providerHref(one), text }
    },
  )
}

function screen(visit: OpsVisit, one: ProviderState, { problems }: Sent): Screen {
  const { title, what } = words[visit.language]
  const text = what(providerPlace(visit.language, one), one.open - one.parked)
  return confirmCard(visit, one, { title, text, go: title, problems })
}

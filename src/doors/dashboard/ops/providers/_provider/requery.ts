import { fr, inBoth, plural } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { providerPlace } from '#doors/dashboard/frame/kinds.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { confirmCard } from '../confirm-card.ts'
import { providerHref, providerOf } from '../provider-words.ts'

const words = inBoth({
  fr: {
    title: fr`Interroger sur les ordres ouverts`,
    what: (place: string, open: number) =>
      fr`${place} est interrogé maintenant sur ${open}
        ${plural.fr(open, 'ordre ouvert', 'ordres ouverts, les plus anciens d’abord')}.
        Rien n'est payé deux fois.`,
    parked: (count: number) =>
      fr` ${count} de plus ne peuvent pas être interrogés : une personne doit décider.`,
    done: (count: number) =>
      fr`Ordres avancés : ${count}. Les autres étaient déjà prévus dans les 20 secondes.`,
  },
  en: {
    title: 'Ask about open orders',
    what: (place: string, open: number) =>
      `${place} is asked now about ${open} open ` +
      `${plural.en(open, 'order', 'orders, oldest first')}. Nothing is paid twice.`,
    parked: (count: number) => ` ${count} more cannot be asked about: a person has to decide.`,
    done: (count: number) =>
      `Orders brought forward: ${count}. The others were due within 20 seconds anyway.`,
  },
})

/** GET, POST /dashboard/ops/providers/:provider/requery: asks about all open orders */
export default function requery(pages: Pages, context: DashboardContext): void {
  const { health, transactions } = context
  pages.form(
    '/dashboard/ops/providers/:provider/requery',
    {
      action: 'ops.transactions.requery',
      find: async (visit) => providerOf(visit, await health.providers()),
      show: (visit, one) => {
        const { title, what, parked } = words[visit.language]
        const asked = what(providerPlace(visit.language, one), one.open - one.parked)
        const text = one.parked > 0 ? asked + parked(one.parked) : asked
        return confirmCard(visit, one, { title, text, go: title })
      },
    },
    async (visit, _form, one) => {
      const { provider, country } = one
      const order = { provider, country, actor: visit.actor }
      const count = await transactions.requeryProvider(order)
      return { to: providerHref(one), text: words[visit.language].done(count) }
    },
  )
}

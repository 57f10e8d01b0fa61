import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { WrongFields } from '#doors/dashboard/frame/problems.ts'
import { sentenceOf } from '#doors/dashboard/frame/words.ts'
import { urlProblem } from '#edge/wire/urls.ts'
import type { Client } from '#merchants/clients/store.ts'
import { webhooksScreen } from './screen.ts'
import { addressFacts } from './settings-cards.ts'

const words = inBoth({
  fr: {
    done: fr`L'adresse est enregistrée.`,
    gone: fr`Il n'y a plus d'adresse par défaut.`,
    it: fr`L'adresse`,
  },
  en: {
    done: 'The address is saved.',
    gone: 'There is no default address any more.',
    it: 'The address',
  },
})

/** POST /dashboard/developers/webhooks/address */
export default function address(pages: Pages, context: DashboardContext): void {
  const { clients, config } = context
  pages.action(
    '/dashboard/developers/webhooks/address',
    {
      action: 'callback.change',
      isSensitive: true,
      reviewed: {
        find: ({ client }) => clients.find(client.id),
        facts: (visit, client: Client) => addressFacts(visit, client),
      },
      refused: (visit, problems, { fields }) =>
        webhooksScreen(context, visit, { fields, problems }),
    },
    async (visit, form, client) => {
      const { done, gone, it } = words[visit.language]
      const url = form.get('address')
      const problem = url === '' ? undefined : urlProblem(it, url, config.webhookRules)
      if (problem !== undefined)
        throw new WrongFields({ address: sentenceOf(problem, visit.language) })
      const change = { callbackUrl: url === '' ? null : url }
      await clients.change({ id: client.id, change, from: client, actor: visit.actor })
      return { to: '/dashboard/developers/webhooks', text: url === '' ? gone : done }
    },
  )
}

import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { readOverlapMs } from '../overlap.ts'
import { secretFacts } from './settings-cards.ts'

const words = inBoth({
  fr: { done: fr`Les webhooks sont signés avec un nouveau secret :` },
  en: { done: 'Webhooks are signed with a new secret:' },
})

/** POST /dashboard/developers/webhooks/secret */
export default function secret(pages: Pages, { clients }: DashboardContext): void {
  pages.action(
    '/dashboard/developers/webhooks/secret',
    {
      action: 'secret.rotate',
      isSensitive: true,
      reviewed: {
        find: ({ client }) => clients.webhookSecrets.list(client.id),
        facts: secretFacts,
      },
    },
    async ({ client, actor, language }, form) => {
      const order = { clientId: client.id, overlapMs: readOverlapMs(form), actor }
      const made = await clients.webhookSecrets.rotate(order)
      const to = '/dashboard/developers/webhooks'
      return { to, text: words[language].done, secret: made }
    },
  )
}

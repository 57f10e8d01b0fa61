import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { readSecretDates } from '#merchants/clients/webhook-secret-store.ts'
import { rotateWebhookSecret } from '#merchants/clients/webhook-secrets.ts'
import { readOverlapMs } from '../overlap.ts'
import { secretFacts } from './settings-cards.ts'

const words = inBoth({
  fr: { done: fr`Les webhooks sont signés avec un nouveau secret :` },
  en: { done: 'Webhooks are signed with a new secret:' },
})

/** POST /dashboard/developers/webhooks/secret */
export default function secret(pages: Pages, { db, clock, config }: DashboardContext): void {
  pages.action(
    '/dashboard/developers/webhooks/secret',
    {
      action: 'secret.rotate',
      isSensitive: true,
      reviewed: {
        find: ({ client }) => readSecretDates(db, client.id, clock.now()),
        facts: secretFacts,
      },
    },
    async ({ client, actor, language }, form) => {
      const order = { clientId: client.id, overlapMs: readOverlapMs(form), actor }
      const made = await rotateWebhookSecret(db, { secretKey: config.secretKey, clock }, order)
      const to = '/dashboard/developers/webhooks'
      return { to, text: words[language].done, secret: made }
    },
  )
}

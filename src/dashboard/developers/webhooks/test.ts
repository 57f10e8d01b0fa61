import { findClient } from '../../../clients/store.ts'
import { fr } from '../../../pages/typography.ts'
import type { DashboardContext } from '../../context.ts'
import type { Pages } from '../../frame/pages.ts'
import { inBoth } from '../../frame/words.ts'

const words = inBoth({
  fr: {
    none: fr`Enregistrez d'abord une adresse.`,
    answered: (status: number, ms: number) =>
      fr`Votre adresse a répondu HTTP ${status} en ${ms} ms.`,
    silent: (problem: string) => fr`Votre adresse n'a pas répondu : ${problem}`,
  },
  en: {
    none: 'Save an address first.',
    answered: (status: number, ms: number) => `Your address answered HTTP ${status} in ${ms} ms.`,
    silent: (problem: string) => `Your address did not answer: ${problem}`,
  },
})

/** POST /dashboard/developers/webhooks/test */
export default function test(pages: Pages, { db, webhooks }: DashboardContext): void {
  pages.action(
    '/dashboard/developers/webhooks/test',
    { action: 'event.resend' },
    async ({ client, language }) => {
      const { none, answered, silent } = words[language]
      const to = '/dashboard/developers/webhooks'
      const url = (await findClient(db, client.id))?.callbackUrl ?? null
      if (url === null) return { to, text: none }
      const { status, problem, durationMs } = await webhooks.sendTest({ clientId: client.id, url })
      return { to, text: status === null ? silent(problem ?? '') : answered(status, durationMs) }
    },
  )
}

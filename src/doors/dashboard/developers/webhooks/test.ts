import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { noteIn } from '#doors/dashboard/frame/technical-words.ts'
import type { Client } from '#merchants/clients/store.ts'
import { addressFacts } from './settings-cards.ts'

const words = inBoth({
  fr: {
    none: fr`Enregistrez d'abord une adresse.`,
    answered: (status: number, ms: number) =>
      fr`Votre adresse a répondu HTTP ${status} en ${ms} ms.`,
    refused: (status: number, ms: number) =>
      fr`Votre adresse a refusé l'événement : HTTP ${status} en ${ms} ms. Il faut une réponse 2xx.`,
    silent: (problem: string) => fr`Votre adresse n'a pas répondu : ${problem}`,
  },
  en: {
    none: 'Save an address first.',
    answered: (status: number, ms: number) => `Your address answered HTTP ${status} in ${ms} ms.`,
    refused: (status: number, ms: number) =>
      `Your address refused the event: HTTP ${status} in ${ms} ms. A 2xx answer is needed.`,
    silent: (problem: string) => `Your address did not answer: ${problem}`,
  },
})

/** POST /dashboard/developers/webhooks/test */
export default function test(pages: Pages, { clients, webhooks }: DashboardContext): void {
  pages.action(
    '/dashboard/developers/webhooks/test',
    {
      action: 'event.resend',
      reviewed: {
        find: ({ client }) => clients.find(client.id),
        facts: (visit, client: Client) =>
          addressFacts(visit, client).map((one) => ({ ...one, isField: false })),
      },
    },
    async ({ language }, _form, { id: clientId, callbackUrl: url }) => {
      const { none, answered, refused, silent } = words[language]
      const to = '/dashboard/developers/webhooks'
      if (url === null) return { to, text: none, tone: 'bad' }
      const { status, problem, durationMs, excerpt } = await webhooks.sendTest({ clientId, url })
      if (status === null) return { to, text: silent(noteIn(language, problem ?? '')), tone: 'bad' }
      const answer = excerpt.trim() === '' ? {} : { answer: excerpt }
      if (status < 200 || status >= 300)
        return { to, text: refused(status, durationMs), tone: 'bad', ...answer }
      return { to, text: answered(status, durationMs), ...answer }
    },
  )
}

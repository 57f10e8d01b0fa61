import { html } from '#base/kit/html.ts'
import { languages } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { problemsOf } from '#doors/dashboard/frame/problems.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { tiers } from '#merchants/clients/store.ts'
import { type ClientFields, clientFields, readClient } from './client-form.ts'
import { clientHref, clientWords } from './client-screen.ts'

const words = inBoth({
  fr: {
    title: fr`Créer un marchand`,
    lead: fr`Son compte est vide et aucun service n'est ouvert. Ensuite : des frais, des services,
      une clé.`,
    go: fr`Créer le marchand`,
    made: fr`Le marchand est créé. Voici le secret de ses webhooks :`,
  },
  en: {
    title: 'Create a merchant',
    lead: 'Its account is empty and no service is open. Next: fees, services, a key.',
    go: 'Create the merchant',
    made: 'The merchant is created. This is the secret of its webhooks:',
  },
})

const empty: ClientFields = {
  name: '',
  email: '',
  language: languages[0],
  callbackUrl: '',
  tier: tiers[0],
  ratePerMinute: '',
}

/** GET, POST /dashboard/ops/clients/new */
export default function newClient(pages: Pages, { config, ledger }: DashboardContext): void {
  pages.screen('/dashboard/ops/clients/new', 'ops.clients.change', (visit) =>
    screen(visit, empty, {}),
  )

  pages.action(
    '/dashboard/ops/clients/new',
    { action: 'ops.clients.change', isSensitive: true, reviewed: null },
    async (visit, form) => {
      const { order, typed, problems } = readClient(visit, form, config.webhookRules)
      if (Object.keys(problems).length > 0) return screen(visit, typed, problems)
      try {
        const asked = { ...order, actor: visit.actor }
        const { id, webhookSecret } = await ledger.openAccount(asked)
        const text = words[visit.language].made
        return { to: clientHref(id), text, secret: webhookSecret }
      } catch (problem) {
        return screen(visit, typed, problemsOf(problem, visit.language))
      }
    },
  )
}

function screen(visit: OpsVisit, typed: ClientFields, problems: Problems): Screen {
  const { title, lead, go } = words[visit.language]
  return {
    title,
    section: 'clients',
    body: html`<p><a href="/dashboard/ops/clients">${clientWords[visit.language].title}</a></p>
<div class="head"><h1>${title}</h1></div>
<form class="card" method="post" action="/dashboard/ops/clients/new">${tokenField(visit)}
<p class="hint">${lead}</p>
${problemList(visit.language, problems)}
${clientFields(visit, typed, problems)}
<button>${go}</button></form>`,
  }
}

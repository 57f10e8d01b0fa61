import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { problemList } from '#doors/dashboard/frame/fields.ts'
import type { Sent } from '#doors/dashboard/frame/form-page.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { readFields } from '#doors/dashboard/frame/read-fields.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { clientFields, readClient } from './client-form.ts'
import { clientHref, clientWords } from './client-screen.ts'

const words = inBoth({
  fr: {
    title: fr`Créer un marchand`,
    lead: fr`Son compte est vide et aucun service n'est ouvert. Ensuite : fixez les frais,
      ouvrez des services, créez une clé.`,
    go: fr`Créer le marchand`,
    made: fr`Le marchand est créé. Voici le secret de ses webhooks :`,
  },
  en: {
    title: 'Create a merchant',
    lead: 'Its account is empty and has no service. Next: set fees, open services, create a key.',
    go: 'Create the merchant',
    made: 'The merchant is created. Its webhook secret:',
  },
})

/** GET, POST /dashboard/ops/clients/new */
export default function newClient(pages: Pages, { config, ledger }: DashboardContext): void {
  pages.form(
    '/dashboard/ops/clients/new',
    { action: 'ops.clients.change', isSensitive: true, show: screen },
    async (visit, form) => {
      const read = readFields(visit.language, form.get)
      const order = readClient(visit, form, read, config.webhookRules)
      read.check()
      const asked = { ...order, actor: visit.actor }
      const { id, webhookSecret } = await ledger.openAccount(asked)
      const text = words[visit.language].made
      return { to: clientHref(id), text, secret: webhookSecret }
    },
  )
}

function screen(visit: OpsVisit, _none: undefined, { typed = {}, problems }: Sent): Screen {
  const { title, lead, go } = words[visit.language]
  return {
    title,
    section: 'clients',
    body: html`<p class="back"><a href="/dashboard/ops/clients">${
      clientWords[visit.language].title
    }</a></p>
<div class="head"><h1>${title}</h1></div>
<form class="card" method="post" action="/dashboard/ops/clients/new">${tokenField(visit)}
<p class="hint">${lead}</p>
${problemList(visit.language, problems)}
${clientFields(visit, typed, problems)}
<button>${go}</button></form>`,
  }
}

import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import {
  type DemoNumber,
  demoBills,
  demoMeters,
  demoPhones,
} from '#merchants/catalog/demo-numbers.ts'
import type { DashboardContext } from '../context.ts'
import { copyButton } from '../frame/components.ts'
import type { Pages } from '../frame/pages.ts'
import { table } from '../frame/table.ts'
import type { Visit } from '../frame/visit.ts'
import { developerScreen } from './tabs.ts'

const words = inBoth({
  fr: {
    about: fr`Ici aucun argent réel ne circule. Le numéro du client décide de ce qui se passe ; tout
      autre numéro accepte après une seconde.`,
    keys: fr`Clés d'essai`,
    noKeys: fr`Ce marchand n'a pas de clé d'essai : créez une clé.`,
    docs: fr`Toutes les fonctions de l'API, à essayer`,
    guides: 'Les guides, avec des exemples',
    lab: fr`Le laboratoire des prestataires : ses commandes`,
    design: fr`Les éléments de ces pages`,
    phones: fr`Numéros de téléphone`,
    bills: fr`Clients d'eau et d'électricité`,
    meters: fr`Compteurs prépayés`,
    number: fr`Numéro`,
    what: 'Ce qui se passe',
    otp: fr`Le code à usage unique de WALLETD est 123456.`,
  },
  en: {
    about: `No real money moves here. The customer’s number decides what happens; any other number
      approves after a second.`,
    keys: 'Demo keys',
    noKeys: 'This merchant has no demo key: create a key.',
    docs: 'API reference, with a console',
    guides: 'Guides, with examples',
    lab: 'The provider lab: its orders',
    design: 'The components of these pages',
    phones: 'Phone numbers',
    bills: 'Customers of water and electricity',
    meters: 'Prepaid meters',
    number: 'Number',
    what: 'What happens',
    otp: 'The one-time code of WALLETD is 123456.',
  },
})

/** GET /dashboard/developers/sandbox; 404 in live mode. */
export default function sandbox(pages: Pages, { clients, demo }: DashboardContext): void {
  pages.screen('/dashboard/developers/sandbox', 'developer.read', async (visit) => {
    if (!visit.isSandbox || demo === null) return undefined
    const callers = await Promise.all(demo.keys.map((key) => clients.authenticate(key)))
    const own = demo.keys.filter((_, index) => callers[index]?.clientId === visit.client.id)
    const say = words[visit.language]
    const lab = `${await demo.labUrl()}/lab/books`
    return developerScreen(
      visit,
      'sandbox',
      html`<p>${say.about}</p>
<div class="columns"><section class="card"><h2>${say.keys}</h2>
${own.length === 0 && html`<p class="hint">${say.noKeys}</p>`}
<ul>${own.map((key) => html`<li><code>${key}</code>${copyButton(visit.language, key)}</li>`)}</ul>
</section><section class="card"><ul class="list">
<li><a href="/docs/${visit.language}" data-turbo="false">${say.guides}</a></li>
<li><a href="/docs" data-turbo="false">${say.docs}</a></li>
<li><a href="${lab}" data-turbo="false">${say.lab}</a></li>
<li><a href="/dashboard/design">${say.design}</a></li></ul></section></div>
${numbers(visit, say.phones, demoPhones)}
<p class="hint">${say.otp}</p>
${numbers(visit, say.bills, demoBills)}
${numbers(visit, say.meters, demoMeters)}`,
    )
  })
}

function numbers(visit: Visit, caption: string, list: DemoNumber[]): Html {
  const say = words[visit.language]
  return html`<h2>${caption}</h2>${table(
    list,
    [
      {
        name: say.number,
        isTitle: true,
        cell: ({ number }) =>
          html`<span><code>${number}</code>${copyButton(visit.language, number)}</span>`,
      },
      { name: say.what, cell: (one) => one[visit.language] },
    ],
    { caption },
  )}`
}

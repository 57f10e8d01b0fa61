import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { countryName } from '#merchants/catalog/countries.ts'
import type { SubMerchant } from '#merchants/sub-merchants/sub-merchant.ts'
import type { DashboardContext } from './context.ts'
import { empty, hrefWith, label } from './frame/components.ts'
import type { Pages } from './frame/pages.ts'
import { table } from './frame/table.ts'
import type { Visit } from './frame/visit.ts'

const words = inBoth({
  fr: {
    title: 'Points de vente',
    lead: fr`Chaque point de vente encaisse sous son propre nom commercial. Celui par défaut est
      montré quand un paiement n'en nomme aucun.`,
    add: 'Nouveau point de vente',
    none: fr`Aucun point de vente : vos clients voient le nom de votre commerce.`,
    name: 'Nom interne',
    shown: 'Nom commercial',
    countries: 'Pays',
    id: 'Identifiant',
    state: fr`État`,
    active: 'Actif',
    closed: fr`Désactivé`,
    isDefault: fr`Par défaut`,
    next: 'Suivants',
    back: fr`Précédents`,
  },
  en: {
    title: 'Sub-merchants',
    lead:
      'Each sub-merchant collects under its own commercial name. The default one is shown when a ' +
      'payment names none.',
    add: 'New sub-merchant',
    none: 'No sub-merchants: your customers see the name of your business.',
    name: 'Internal name',
    shown: 'Commercial name',
    countries: 'Countries',
    id: 'Id',
    state: 'State',
    active: 'Active',
    closed: 'Deactivated',
    isDefault: 'Default',
    next: 'Next',
    back: 'Previous',
  },
})

const pageLength = 50

/** GET /dashboard/sub-merchants */
export default function subMerchantList(pages: Pages, { subMerchants }: DashboardContext): void {
  pages.screen('/dashboard/sub-merchants', 'sub-merchant.read', async (visit) => {
    const { language, query, client } = visit
    const say = words[language]
    const page = /^[1-9]\d{0,4}$/.test(query.page ?? '') ? Number(query.page) : 1
    const { total, found } = await subMerchants.list(client.id, { page, limit: pageLength })
    const way = (to: number, text: string) =>
      html`<a class="button second" href="${hrefWith(visit, { page: String(to) })}">${text}</a>`
    return {
      title: say.title,
      section: 'sub-merchants',
      body: html`<div class="head"><h1>${say.title}</h1>${
        visit.may('sub-merchant.change') &&
        html`<a class="button" href="/dashboard/sub-merchants/new">${say.add}</a>`
      }</div>
<p class="hint">${say.lead}</p>
${found.length === 0 ? empty(say.none) : list(visit, found)}
<p class="ways">${page > 1 && way(page - 1, say.back)}${
        page * pageLength < total && way(page + 1, say.next)
      }</p>`,
    }
  })
}

/** Whether it is active, and whether it is the default. */
export function shopState({ language }: Visit, { isActive, isDefault }: SubMerchant): Html {
  const say = words[language]
  const state = isActive
    ? label(['good', 'check'], say.active)
    : label(['quiet', 'dash'], say.closed)
  return html`${state}
${isDefault && label(['calm', 'pennant'], say.isDefault)}`
}

function list(visit: Visit, shops: SubMerchant[]): Html {
  const { language } = visit
  const say = words[language]
  return table(
    shops,
    [
      {
        name: say.name,
        cell: ({ id, name }) =>
          html`<a href="/dashboard/sub-merchants/${id}"><bdi>${name}</bdi></a>`,
        isTitle: true,
      },
      { name: say.shown, cell: ({ commercialName }) => html`<bdi>${commercialName}</bdi>` },
      {
        name: say.countries,
        cell: ({ countries }) => countries.map((one) => countryName(language, one)).join(', '),
      },
      { name: say.state, cell: (one) => shopState(visit, one) },
      { name: say.id, cell: ({ id }) => html`<code>${id}</code>` },
    ],
    { caption: say.title },
  )
}

import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '../context.ts'
import type { Sent } from '../frame/form-page.ts'
import { merchantContract } from '../frame/interface-rules.ts'
import type { Screen } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import type { Visit } from '../frame/visit.ts'
import { readShop, shopForm } from './shop-form.ts'

const words = inBoth({
  fr: { title: 'Nouveau point de vente', made: fr`Le point de vente est créé.` },
  en: { title: 'New sub-merchant', made: 'The sub-merchant is created.' },
})

/** GET, POST /dashboard/sub-merchants/new */
export default function newSubMerchant(pages: Pages, context: DashboardContext): void {
  pages.form(
    '/dashboard/sub-merchants/new',
    { action: 'sub-merchant.change', show },
    async (visit, form) => {
      const facts = readShop(visit, form)
      const { id: clientId } = visit.client
      await merchantContract(context, clientId)
      const { id } = await context.subMerchants.create(clientId, facts)
      return { to: `/dashboard/sub-merchants/${id}`, text: words[visit.language].made }
    },
  )
}

function show(visit: Visit, _none: undefined, { typed = visit.query, problems }: Sent): Screen {
  const { title } = words[visit.language]
  return {
    title,
    section: 'sub-merchants',
    body: html`<h1>${title}</h1>${shopForm(visit, visit.path, typed, problems)}`,
  }
}

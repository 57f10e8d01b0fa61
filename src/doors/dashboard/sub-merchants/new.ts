import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '../context.ts'
import type { Problems } from '../frame/fields.ts'
import { merchantContract, refusedAs } from '../frame/interface-rules.ts'
import type { Screen } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import type { Visit } from '../frame/visit.ts'
import { readShop, shopForm } from './shop-form.ts'

const words = inBoth({
  fr: { title: 'Nouveau point de vente', made: fr`Le point de vente est créé.` },
  en: { title: 'New sub-merchant', made: 'The sub-merchant is created.' },
})

const path = '/dashboard/sub-merchants/new'

/** GET, POST /dashboard/sub-merchants/new */
export default function newSubMerchant(pages: Pages, context: DashboardContext): void {
  pages.screen('/dashboard/sub-merchants/new', 'sub-merchant.change', (visit) =>
    show(visit, visit.query, {}),
  )

  pages.action(
    '/dashboard/sub-merchants/new',
    { action: 'sub-merchant.change', reviewed: null },
    async (visit, form) => {
      const { facts, problems } = readShop(visit, form)
      if (Object.keys(problems).length > 0) return show(visit, form.fields, problems)
      const { id: clientId } = visit.client
      const made = await refusedAs(visit.language, async () => {
        await merchantContract(context, clientId)
        return context.subMerchants.create(clientId, facts)
      })
      if ('problems' in made) return show(visit, form.fields, made.problems)
      return {
        to: `/dashboard/sub-merchants/${made.done.id}`,
        text: words[visit.language].made,
      }
    },
  )
}

function show(visit: Visit, typed: Record<string, string>, problems: Problems): Screen {
  const { title } = words[visit.language]
  return {
    title,
    section: 'sub-merchants',
    body: html`<h1>${title}</h1>${shopForm(visit, path, typed, problems)}`,
  }
}

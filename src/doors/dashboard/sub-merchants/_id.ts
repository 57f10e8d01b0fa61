import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { isSubMerchantId, type SubMerchant } from '#merchants/sub-merchants/sub-merchant.ts'
import type { DashboardContext } from '../context.ts'
import { facts, shortId } from '../frame/components.ts'
import type { Problems } from '../frame/fields.ts'
import { merchantContract } from '../frame/interface-rules.ts'
import { type Screen, tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import type { Fact, Reviewed } from '../frame/reviewed.ts'
import type { Visit } from '../frame/visit.ts'
import { shopState } from '../sub-merchants.ts'
import { changedFacts, readShop, shopFacts, shopFields, shopForm } from './shop-form.ts'

const words = inBoth({
  fr: {
    id: 'Identifiant',
    state: fr`État`,
    shown: 'Nom commercial',
    saved: fr`C'est enregistré.`,
    makeDefault: fr`Choisir par défaut`,
    deactivate: fr`Désactiver`,
    activate: fr`Réactiver`,
    deactivateHint: fr`Un point de vente désactivé n'encaisse plus ; ses paiements passés
      restent.`,
  },
  en: {
    id: 'Id',
    state: 'State',
    shown: 'Commercial name',
    saved: 'Saved.',
    makeDefault: 'Make default',
    deactivate: 'Deactivate',
    activate: 'Activate',
    deactivateHint: 'A deactivated sub-merchant can no longer collect; its past payments remain.',
  },
})

// What the buttons beside the form change.
const verbs = {
  default: { isDefault: true },
  deactivate: { isActive: false },
  activate: { isActive: true },
}

/** GET, POST /dashboard/sub-merchants/:id */
export default function subMerchant(pages: Pages, context: DashboardContext): void {
  const { subMerchants } = context
  const find = async (visit: Visit): Promise<SubMerchant | undefined> => {
    const id = visit.part('id')
    return isSubMerchantId(id) ? subMerchants.find(visit.client.id, id) : undefined
  }

  pages.screen('/dashboard/sub-merchants/:id', 'sub-merchant.read', async (visit) => {
    const shop = await find(visit)
    return shop === undefined ? undefined : show(visit, shop, shopFields(shop), {})
  })

  const reviewed: Reviewed<Visit, SubMerchant> = {
    // Not as a cache has it.
    find: async (visit) => {
      const known = await find(visit)
      return known && subMerchants.read(known.clientId, known.id)
    },
    facts: (visit, shop, form) => factsOf(visit, shop, Object.hasOwn(verbs, form.get('verb'))),
  }
  pages.action(
    '/dashboard/sub-merchants/:id',
    {
      action: 'sub-merchant.change',
      reviewed,
      refused: (visit, problems, { fields }, shop) => show(visit, shop, fields, problems),
    },
    async (visit, form, shop) => {
      const verb = form.get('verb')
      const change = Object.hasOwn(verbs, verb)
        ? verbs[verb as keyof typeof verbs]
        : changedFacts(readShop(visit, form), shop)
      const { clientId, id } = shop
      await merchantContract(context, clientId)
      await subMerchants.change({ clientId, id, change })
      return { to: `/dashboard/sub-merchants/${id}`, text: words[visit.language].saved }
    },
  )
}

/** What the buttons show of a shop, and what its form does. */
function factsOf(visit: Visit, shop: SubMerchant, isVerb: boolean): Fact[] {
  const { language } = visit
  const { id, isActive, isDefault } = shop
  const fact = { name: 'shop', label: words[language].id, value: id }
  if (!isVerb) return [fact, ...shopFacts(language, shop)]
  const state = `${String(isActive)} ${String(isDefault)}`
  return [
    fact,
    {
      name: 'state',
      label: words[language].state,
      value: state,
      show: () => shopState(visit, shop),
    },
  ]
}

function show(
  visit: Visit,
  shop: SubMerchant,
  typed: Record<string, string>,
  problems: Problems,
): Screen {
  const { language } = visit
  const say = words[language]
  const path = `/dashboard/sub-merchants/${shop.id}`
  const button = (verb: keyof typeof verbs, text: string, kind = 'second') =>
    html`<form method="post" action="${path}">${tokenField(visit, factsOf(visit, shop, true))}
<button class="${kind}" name="verb" value="${verb}">${text}</button></form>`
  const form = shopForm(visit, path, typed, problems, factsOf(visit, shop, false))
  const buttons = html`<div class="ways">
${shop.isActive && !shop.isDefault && button('default', say.makeDefault)}
${
  shop.isActive ? button('deactivate', say.deactivate, 'danger') : button('activate', say.activate)
}</div>
<p class="hint">${say.deactivateHint}</p>`
  return {
    title: shop.name,
    section: 'sub-merchants',
    body: html`<div class="head"><h1><bdi>${shop.name}</bdi></h1>
<p class="ways">${shopState(visit, shop)}</p></div>
<section class="card">${facts([
      [say.id, shortId(language, shop.id)],
      [say.shown, html`<bdi>${shop.commercialName}</bdi>`],
    ])}</section>
${visit.may('sub-merchant.change') && [buttons, form]}`,
  }
}

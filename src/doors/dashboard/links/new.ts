import { html } from '#base/kit/html.ts'
import { formatAmount } from '#base/kit/money.ts'
import { en, fr, inBoth } from '#base/kit/texts.ts'
import { isOfOtherPath } from '#edge/wire/init.ts'
import { readPhone } from '#merchants/catalog/phone.ts'
import { toInternational } from '#merchants/catalog/phone-forms.ts'
import { services } from '#merchants/catalog/services.ts'
import type { Contract } from '#merchants/clients/contract.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import type { LinkOrder } from '#money/links/create.ts'
import type { Link } from '#money/links/link.ts'
import type { DashboardContext } from '../context.ts'
import type { Done, Form } from '../frame/actions.ts'
import type { Problems } from '../frame/fields.ts'
import { merchantContract } from '../frame/interface-rules.ts'
import type { Screen } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { WrongFields } from '../frame/problems.ts'
import { readFields } from '../frame/read-fields.ts'
import type { Visit } from '../frame/visit.ts'
import { fieldWords, type LinkFields, lifetimes, linkFields, linkForm } from './link-form.ts'

const words = inBoth({
  fr: {
    title: 'Nouveau lien de paiement',
    lead: fr`Votre client reçoit une adresse, l'ouvre sur son téléphone et paie par Mobile Money.
      Ce lien ne peut être payé qu'une fois.`,
    like: (item: string, amount: string) => fr`Reprendre le dernier lien (${item}, ${amount})`,
    created: fr`Le lien est prêt. Envoyez-le à votre client.`,
    used: fr`Votre référence : déjà utilisée. Choisissez-en une autre.`,
    unusable: (text: string) => fr`Votre référence : elle ne doit pas être ${text}.`,
    phone: fr`Numéro du client : saisissez un numéro complet, par exemple 77 123 45 67, avec
      l'indicatif s'il est d'un autre pays.`,
    shop: fr`Ce point de vente ne peut pas être utilisé.`,
  },
  en: {
    title: 'New payment link',
    lead: en`Your customer gets an address, opens it on their phone and pays by mobile money. This
        link can be paid only once.`,
    like: (item: string, amount: string) => `Reuse the last link (${item}, ${amount})`,
    created: 'The link is ready. Send it to your customer.',
    used: 'Your reference: already used. Choose another one.',
    unusable: (text: string) => `Your reference: it must not be ${text}.`,
    phone: en`Customer’s number: enter a complete number, such as 77 123 45 67, with the country
        code if it is from another country.`,
    shop: 'This sub-merchant cannot be used.',
  },
})

/** GET, POST /dashboard/links/new */
export default function newLink(pages: Pages, context: DashboardContext): void {
  const { links } = context

  pages.screen('/dashboard/links/new', 'link.create', async (visit) => {
    const { like } = visit.query
    const viewer = wholeClient(visit.client.id)
    const model = like === undefined ? undefined : await links.find(viewer, like)
    return show(context, visit, model === undefined ? visit.query : fieldsOf(visit, model), {})
  })

  pages.action(
    '/dashboard/links/new',
    {
      action: 'link.create',
      reviewed: null,
      refused: (visit, problems, { fields }) => show(context, visit, fields, problems),
    },
    async (visit, form) => create(context, visit, form, await readOrder(context, visit, form)),
  )
}

/** Creates the link once for each form; `dash-…` ids are those of forms. */
async function create(
  context: DashboardContext,
  visit: Visit,
  form: Form,
  order: LinkOrder,
): Promise<Done> {
  const { links } = context
  const { created: text, used } = words[visit.language]
  const created = await links.create(order)
  if (created.kind === 'created') return { to: `/dashboard/links/${created.link.id}`, text }
  if (form.get('reference') !== '') throw new WrongFields({ reference: used })
  const viewer = wholeClient(visit.client.id)
  const before = await links.find(viewer, order.externalId)
  return { to: before === undefined ? '/dashboard/links' : `/dashboard/links/${before.id}`, text }
}

async function readOrder(context: DashboardContext, visit: Visit, form: Form): Promise<LinkOrder> {
  const { clients, config, subMerchants } = context
  const { id: clientId } = visit.client
  const contract = await merchantContract(context, clientId)
  const label = fieldWords[visit.language]
  const fields = readFields(visit.language, form.get)
  const read = linkFields.read(fields, visit.language)
  const chosen = form.get('shop')
  const payee = await subMerchants.payeeFor({
    clientId,
    subMerchantId: chosen === '' ? undefined : chosen,
    country: undefined,
    fallbackName: contract.name,
  })
  if (payee.kind !== 'named') fields.refuse('shop', words[visit.language].shop)
  const own = String(contract.linkLifetimeS)
  const lifetime = fields.choice('lifetime', label.lifetime, [...lifetimes.keys(), own])
  const { item: itemName, amount, customer: customerName, reference } = read
  const customerPhone = readCustomer(read.phone, contract)
  if (customerPhone === undefined) fields.refuse('phone', words[visit.language].phone)
  if (isOfOtherPath(reference))
    fields.refuse('reference', words[visit.language].unusable(reference))
  const successUrl = fields.address('success', label.success, config.mode)
  const failureUrl = fields.address('failure', label.failure, config.mode)
  fields.check()
  const { subMerchantId, payeeName } = payee as Extract<typeof payee, { kind: 'named' }>
  return {
    clientId,
    keyId: await clients.dashboardKey(clientId),
    externalId: reference === '' ? `dash-${form.number}` : reference,
    // A shop that is chosen limits the wallets to its countries; the default one only names.
    subMerchantId: chosen === '' ? null : subMerchantId,
    payeeName,
    itemName,
    amount,
    customData: null,
    callbackUrl: '',
    successUrl,
    failureUrl,
    customerName,
    customerPhone: customerPhone ?? null,
    customerEmail: read.email,
    language: null,
    lifetimeMs: 1000 * Number(lifetime),
  }
}

/** A customer's number with its dialling code; undefined: nothing can be collected from it. */
function readCustomer(typed: string, { terms }: Contract): string | null | undefined {
  if (typed === '') return null
  const offered = services
    .filter(({ code, operation }) => operation === 'CASHOUT' && terms.get(code)?.isEnabled === true)
    .map(({ country }) => country)
  const [usual] = offered
  const read = readPhone(typed, [...new Set(offered)], '', usual)
  return read.kind === 'phone' ? `+${toInternational(read.phone, read.country)}` : undefined
}

/** What a link like another one begins with: all but the customer and the reference. */
function fieldsOf(_visit: Visit, link: Link): LinkFields {
  const { itemName: item, amount, subMerchantId, successUrl: success, failureUrl: failure } = link
  const lifetime = String((link.expiresAt.getTime() - link.createdAt.getTime()) / 1000)
  const isKnown = lifetimes.has(lifetime)
  const shop = subMerchantId ?? ''
  const typed = { item, amount: String(amount), shop, success, failure }
  return isKnown ? { ...typed, lifetime } : typed
}

async function show(
  { clients, subMerchants, links }: DashboardContext,
  visit: Visit,
  typed: LinkFields,
  problems: Problems,
): Promise<Screen> {
  const { id: clientId } = visit.client
  const [{ linkLifetimeS, name }, { found }, newest] = await Promise.all([
    clients.contractOf(clientId),
    subMerchants.list(clientId, { page: 1, limit: 100 }),
    links.list(wholeClient(clientId), noFilter, { from: null, to: null, after: null, limit: 1 }),
  ])
  const { title, lead, like } = words[visit.language]
  const last = newest?.links[0]?.link
  const shops = found.filter(({ isActive }) => isActive)
  const choices = { shops, linkLifetimeS, clientName: name }
  return {
    title,
    section: 'links',
    body: html`<div class="head"><h1>${title}</h1></div><p class="hint">${lead}</p>
${
  last !== undefined &&
  html`<p class="ways"><a class="button second" href="/dashboard/links/new?like=${last.id}">${like(
    last.itemName,
    formatAmount(last.amount),
  )}</a></p>`
}
${linkForm(visit, typed, problems, choices)}`,
  }
}

const noFilter = { status: null, subMerchantId: null, externalIdPrefix: null, phone: null }

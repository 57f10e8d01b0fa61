import { type Html, html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { generalLimits } from '#merchants/clients/contract.ts'
import type { SubMerchant } from '#merchants/sub-merchants/sub-merchant.ts'
import { amount, defineForm, line, mail, optionalLine } from '../frame/define-form.ts'
import { field, type Problems, problemList } from '../frame/fields.ts'
import { tokenField } from '../frame/layout.ts'
import type { Visit } from '../frame/visit.ts'

export const fieldWords = inBoth({
  fr: {
    item: 'Article ou service',
    itemHint: fr`Ce que votre client lit sur la page de paiement`,
    amount: 'Montant (F CFA)',
    lifetime: fr`Valable`,
    shop: 'Point de vente',
    noShop: (name: string) => fr`Le nom habituel (${name})`,
    more: fr`Client, référence et retour`,
    customer: 'Nom du client',
    phone: fr`Numéro du client`,
    phoneHint: fr`Pour lui envoyer le lien ; sa page de paiement le propose`,
    email: fr`E-mail du client`,
    reference: fr`Votre référence`,
    referenceHint: fr`Un numéro de facture, par exemple. Vide : nous en choisissons une.`,
    success: fr`Adresse de retour après paiement`,
    failure: fr`Adresse de retour en cas d'échec`,
    returnHint: fr`Vide : votre client reste sur notre page, avec son reçu.`,
    go: fr`Créer le lien`,
  },
  en: {
    item: 'Item or service',
    itemHint: 'What your customer reads on the payment page',
    amount: 'Amount (F CFA)',
    lifetime: 'Valid for',
    shop: 'Sub-merchant',
    noShop: (name: string) => `Your usual name (${name})`,
    more: 'Customer, reference and return',
    customer: 'Customer’s name',
    phone: 'Customer’s number',
    phoneHint: 'Used to send them the link, and filled in on their payment page',
    email: 'Customer’s email address',
    reference: 'Your reference',
    referenceHint: 'An invoice number, for example. If left blank, we choose one.',
    success: 'Return address after payment',
    failure: 'Return address if payment fails',
    returnHint: 'If left blank, your customer stays on our page, with the receipt.',
    go: 'Create the link',
  },
})

/** The fields that every merchant has alike. */
export const linkFields = defineForm(fieldWords, {
  item: line(200, { isRequired: true }),
  // The smallest price that the interface takes.
  amount: amount({ ...generalLimits, min: 100 }, { isRequired: true }),
  customer: optionalLine(200),
  phone: line(40, { type: 'tel' }),
  email: mail(),
  reference: line(128),
})

const [hour, day] = [3600, 86_400]

/** How long links may be valid, by seconds. */
export const lifetimes = new Map<string, Record<Language, string>>([
  [String(hour), { fr: 'une heure', en: 'one hour' }],
  [String(day), { fr: 'un jour', en: 'one day' }],
  [String(3 * day), { fr: 'trois jours', en: 'three days' }],
  [String(7 * day), { fr: 'une semaine', en: 'one week' }],
  [String(30 * day), { fr: 'trente jours', en: 'thirty days' }],
])

/** What is typed in the form, by the names of its fields. */
export type LinkFields = Record<string, string>

interface Choices {
  shops: SubMerchant[]
  linkLifetimeS: number
  clientName: string
}

/** The form of a new link; what few need is folded away. */
export function linkForm(
  visit: Visit,
  typed: LinkFields,
  problems: Problems,
  { shops, linkLifetimeS, clientName }: Choices,
): Html {
  const label = fieldWords[visit.language]
  const usual = String(linkLifetimeS)
  const known = lifetimes.has(usual) ? [] : [[usual, `${linkLifetimeS / 60} min`] as const]
  const spans = [...lifetimes].map(([value, text]) => [value, text[visit.language]] as const)
  const text = (name: string, rest: object = {}) =>
    field({ name, label: '', value: typed[name] ?? '', ...rest }, problems)
  const own = (name: (typeof linkFields.names)[number]) =>
    linkFields.field(visit.language, name, { typed, problems })
  const inMore = ['customer', 'phone', 'email', 'reference', 'success', 'failure']
  const isOpen = inMore.some((name) => Object.hasOwn(problems, name) || (typed[name] ?? '') !== '')
  return html`${problemList(visit.language, problems)}
<form class="card narrow" method="post" action="/dashboard/links/new">${tokenField(visit)}
${own('item')}${own('amount')}
${text('lifetime', {
  label: label.lifetime,
  value: typed.lifetime ?? usual,
  options: [...known, ...spans],
})}
${
  shops.length > 0 &&
  text('shop', {
    label: label.shop,
    options: [
      ['', label.noShop(shops.find(({ isDefault }) => isDefault)?.commercialName ?? clientName)],
      ...shops.map(({ id, name }) => [id, name]),
    ],
  })
}
<details${isOpen && html` open`}><summary>${label.more}</summary><div class="stack">
${own('customer')}${own('phone')}${own('email')}${own('reference')}
${text('success', { label: label.success, hint: label.returnHint, type: 'url' })}
${text('failure', { label: label.failure, type: 'url' })}</div></details>
<button>${label.go}</button></form>`
}

import { type Html, html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { pick } from '#base/kit/objects.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { countryName } from '#merchants/catalog/countries.ts'
import {
  type ServableCountry,
  type SubMerchantFacts,
  servableCountries,
} from '#merchants/sub-merchants/sub-merchant.ts'
import type { Form } from '../frame/actions.ts'
import { checkbox, field, type Problems, problemList } from '../frame/fields.ts'
import { tokenField } from '../frame/layout.ts'
import { readFields } from '../frame/read-fields.ts'
import { type Fact, fieldFact } from '../frame/reviewed.ts'
import type { Visit } from '../frame/visit.ts'

const words = inBoth({
  fr: {
    name: 'Nom interne',
    nameHint: fr`Pour vous et votre équipe.`,
    commercialName: 'Nom commercial',
    commercialNameHint: fr`Ce que vos clients voient quand ils paient.`,
    countries: fr`Pays où il vend`,
    noCountry: fr`Pays où il vend : choisissez-en au moins un.`,
    more: fr`Autres informations (facultatif)`,
    description: fr`Ce qu'il vend`,
    legalName: fr`Raison sociale`,
    businessActivity: fr`Secteur d'activité`,
    managerName: 'Responsable',
    websiteUrl: 'Site web',
    phoneNumber: fr`Téléphone`,
    city: 'Ville',
    address: 'Adresse',
    zipcode: 'Code postal',
    save: 'Enregistrer',
  },
  en: {
    name: 'Internal name',
    nameHint: 'For you and your team.',
    commercialName: 'Commercial name',
    commercialNameHint: 'What your customers see when they pay.',
    countries: 'Countries where it sells',
    noCountry: 'Countries where it sells: choose at least one.',
    more: 'More about it (optional)',
    description: 'What it sells',
    legalName: 'Legal name',
    businessActivity: 'Line of business',
    managerName: 'Who runs it',
    websiteUrl: 'Website',
    phoneNumber: 'Telephone',
    city: 'City',
    address: 'Address',
    zipcode: 'Postal code',
    save: 'Save',
  },
})

const nameMax = 100
const textMax = 500
const texts = [
  'description',
  'legalName',
  'businessActivity',
  'managerName',
  'phoneNumber',
  'city',
  'address',
  'zipcode',
] as const

const countryField = (country: ServableCountry) => `country-${country}`

/** Reads a sub-merchant from a form. */
export function readShop({ language }: Visit, form: Form): SubMerchantFacts {
  const say = words[language]
  const fields = readFields(language, form.get)
  const optional = (name: (typeof texts)[number]) => fields.line(name, say[name], textMax) || null
  const countries = servableCountries.filter((one) => form.get(countryField(one)) === 'yes')
  const facts = {
    name: fields.line('name', say.name, nameMax, true),
    commercialName: fields.line('commercialName', say.commercialName, nameMax, true),
    countries,
    websiteUrl: fields.address('websiteUrl', say.websiteUrl, 'sandbox') || null,
    description: optional('description'),
    legalName: optional('legalName'),
    businessActivity: optional('businessActivity'),
    managerName: optional('managerName'),
    phoneNumber: optional('phoneNumber'),
    city: optional('city'),
    address: optional('address'),
    zipcode: optional('zipcode'),
  }
  if (countries.length === 0) fields.refuse(countryField('SN'), say.noCountry)
  fields.check()
  return facts
}

/** What the fields of a form begin with, from a sub-merchant that is known. */
export function shopFields(shop: SubMerchantFacts): Record<string, string> {
  const names = ['name', 'commercialName', 'websiteUrl', ...texts] as const
  return {
    ...Object.fromEntries(names.map((name) => [name, shop[name] ?? ''])),
    ...Object.fromEntries(shop.countries.map((one) => [countryField(one), 'yes'])),
  }
}

/** The same as what a form shows. */
export function shopFacts(language: Language, shop: SubMerchantFacts): Fact[] {
  const say = words[language]
  const values = shopFields(shop)
  const names = ['name', 'commercialName', 'websiteUrl', ...texts] as const
  return [
    ...names.map((name) => fieldFact(name, say[name], values[name] ?? '')),
    ...servableCountries.map((one) =>
      fieldFact(countryField(one), countryName(language, one), values[countryField(one)] ?? ''),
    ),
  ]
}

/** Of the facts that a form holds, those that differ from what is known. */
export function changedFacts(
  facts: SubMerchantFacts,
  known: SubMerchantFacts,
): Partial<SubMerchantFacts> {
  const names = Object.keys(facts) as (keyof SubMerchantFacts)[]
  const isSame = (name: keyof SubMerchantFacts) => String(facts[name]) === String(known[name])
  return pick(
    facts,
    names.filter((name) => !isSame(name)),
  )
}

/** The form of a sub-merchant, new or known. */
export function shopForm(
  visit: Visit,
  action: string,
  typed: Record<string, string>,
  problems: Problems,
  seen: Fact[] = [],
): Html {
  const { language } = visit
  const say = words[language]
  const text = (name: 'websiteUrl' | (typeof texts)[number]) =>
    field({ name, label: say[name], value: typed[name] ?? '', maxLength: textMax }, problems)
  const name = (one: 'name' | 'commercialName') =>
    field(
      {
        name: one,
        label: say[one],
        hint: say[`${one}Hint`],
        value: typed[one] ?? '',
        maxLength: nameMax,
        isRequired: true,
      },
      problems,
    )
  return html`<form class="card" method="post" action="${action}">
${problemList(language, problems)}
${tokenField(visit, seen)}
${name('name')}${name('commercialName')}
<fieldset><legend>${say.countries}</legend>${servableCountries.map((one) =>
    checkbox(countryField(one), countryName(language, one), typed[countryField(one)] === 'yes'),
  )}</fieldset>
<details><summary>${say.more}</summary>${text('websiteUrl')}${texts.map(text)}</details>
<button>${say.save}</button></form>`
}

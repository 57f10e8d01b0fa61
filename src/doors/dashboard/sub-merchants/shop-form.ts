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
import { defineForm, line, optionalLine, optionalUrl } from '../frame/define-form.ts'
import { checkbox, type Problems, problemList } from '../frame/fields.ts'
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
    more: 'More information (optional)',
    description: 'What it sells',
    legalName: 'Legal name',
    businessActivity: 'Line of business',
    managerName: 'Manager',
    websiteUrl: 'Website',
    phoneNumber: 'Telephone',
    city: 'City',
    address: 'Address',
    zipcode: 'Postal code',
    save: 'Save',
  },
})

const textMax = 500
const textForm = defineForm(words, {
  name: line(100, { isRequired: true }),
  commercialName: line(100, { isRequired: true }),
  websiteUrl: optionalUrl('sandbox', { maxLength: textMax }),
  description: optionalLine(textMax),
  legalName: optionalLine(textMax),
  businessActivity: optionalLine(textMax),
  managerName: optionalLine(textMax),
  phoneNumber: optionalLine(textMax),
  city: optionalLine(textMax),
  address: optionalLine(textMax),
  zipcode: optionalLine(textMax),
})

const countryField = (country: ServableCountry) => `country-${country}`

/** Reads a sub-merchant from a form. */
export function readShop({ language }: Visit, form: Form): SubMerchantFacts {
  const reader = readFields(language, form.get)
  const countries = servableCountries.filter((one) => form.get(countryField(one)) === 'yes')
  const facts = { ...textForm.read(reader, language), countries }
  if (countries.length === 0) reader.refuse(countryField('SN'), words[language].noCountry)
  reader.check()
  return facts
}

/** What the fields of a form begin with, from a sub-merchant that is known. */
export function shopFields(shop: SubMerchantFacts): Record<string, string> {
  return {
    ...Object.fromEntries(textForm.names.map((name) => [name, shop[name] ?? ''])),
    ...Object.fromEntries(shop.countries.map((one) => [countryField(one), 'yes'])),
  }
}

/** The same as what a form shows. */
export function shopFacts(language: Language, shop: SubMerchantFacts): Fact[] {
  const values = shopFields(shop)
  return [
    ...textForm.facts(language, shop),
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
  const [name = '', commercialName = '', ...more] = textForm.names.map((one) =>
    textForm.field(language, one, { typed, problems }),
  )
  return html`<form class="card" method="post" action="${action}">
${problemList(language, problems)}
${tokenField(visit, seen)}
${name}${commercialName}
<fieldset><legend>${say.countries}</legend>${servableCountries.map((one) =>
    checkbox(countryField(one), countryName(language, one), typed[countryField(one)] === 'yes'),
  )}</fieldset>
<details><summary>${say.more}</summary>${more}</details>
<button>${say.save}</button></form>`
}

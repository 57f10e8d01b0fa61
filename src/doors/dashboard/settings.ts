import { html } from '#base/kit/html.ts'
import { type Language, languages } from '#base/kit/language.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { fr, inBoth, plural } from '#base/kit/texts.ts'
import { addressMax, taxNumberMax } from '#merchants/clients/clients.ts'
import type { Clients } from '#merchants/clients/open.ts'
import type { Client } from '#merchants/clients/store.ts'
import { timeZones } from '#merchants/clients/time-zones.ts'
import type { DashboardContext } from './context.ts'
import type { Form } from './frame/actions.ts'
import { facts } from './frame/components.ts'
import { field, languageField, languageNames, type Problems, problemList } from './frame/fields.ts'
import { type Screen, tokenField } from './frame/layout.ts'
import type { Pages } from './frame/pages.ts'
import { type Fact, fieldFact, type Reviewed } from './frame/reviewed.ts'
import type { Visit } from './frame/visit.ts'
import { lookCard } from './settings/look-card.ts'

const words = inBoth({
  fr: {
    title: fr`Réglages`,
    name: fr`Nom du marchand`,
    nameHint: fr`Vos clients voient ce nom, sauf pour un paiement à un point de vente.`,
    email: fr`Adresse e-mail des notifications`,
    emailHint: fr`Reçoit les e-mails sur les liens de paiement. Vide : aucun e-mail.`,
    language: fr`Langue des notifications`,
    timeZone: fr`Fuseau horaire`,
    timeZoneHint: fr`Pour les heures affichées et les jours des relevés.`,
    lifetime: fr`Durée d'un lien de paiement`,
    address: fr`Adresse de l'entreprise`,
    addressHint: fr`Sur les relevés et les reçus, avec le logo. Facultatif.`,
    taxNumber: fr`Identifiant fiscal`,
    taxNumberHint: fr`NINEA, NIF, NCC, IFU ou NIU. Sur les relevés et les reçus. Facultatif.`,
    save: 'Enregistrer',
    saved: fr`C'est enregistré.`,
    none: 'aucune',
    hours: (count: number) => `${count} ${plural.fr(count, 'heure')}`,
    days: (count: number) => `${count} ${plural.fr(count, 'jour')}`,
    minutes: (count: number) => fr`${count} minutes`,
  },
  en: {
    title: 'Settings',
    name: 'Merchant’s name',
    nameHint: 'Customers see this name, unless they pay a sub-merchant.',
    email: 'Email address for notifications',
    emailHint: 'Gets the emails about payment links. Leave blank to get none.',
    language: 'Language of notifications',
    timeZone: 'Time zone',
    timeZoneHint: 'For the times that are shown and the days of statements.',
    lifetime: 'Lifetime of a payment link',
    address: 'Business address',
    addressHint: 'On statements and receipts, with the logo. Optional.',
    taxNumber: 'Tax number',
    taxNumberHint: 'NINEA, NIF, NCC, IFU or NIU. On statements and receipts. Optional.',
    save: 'Save',
    saved: 'Saved.',
    none: 'none',
    hours: (count: number) => `${count} ${plural.en(count, 'hour')}`,
    days: (count: number) => `${count} ${plural.en(count, 'day')}`,
    minutes: (count: number) => `${count} minutes`,
  },
})

const [hourS, dayS] = [3600, 86_400]
const lifetimes = [hourS, 6 * hourS, dayS, 3 * dayS, 7 * dayS, 30 * dayS]
const nameMax = 80

/** GET, POST /dashboard/settings: names, language, zone and mail of the client. */
export default function settings(pages: Pages, { clients }: DashboardContext): void {
  pages.screen('/dashboard/settings', 'settings.read', (visit) => settingsScreen(clients, visit))

  const reviewed: Reviewed<Visit, Client> = {
    find: ({ client }) => clients.find(client.id),
    facts: factsOf,
  }

  pages.action(
    '/dashboard/settings',
    {
      action: 'settings.change',
      reviewed,
      refused: (visit, names, form, client) =>
        settingsScreen(clients, visit, { names, change: changeOf(form, client) }),
    },
    async (visit, form, client) => {
      const change = changeOf(form, client)
      await clients.change({ id: client.id, change, from: client, actor: visit.actor })
      return { to: '/dashboard/settings', text: savedText(visit.language) }
    },
  )
}

function changeOf(form: Form, client: Client): Shown {
  const known = [...lifetimes, client.linkLifetimeS].map(String)
  const lifetime = form.get('lifetime')
  return {
    name: oneLine(form.get('name'), nameMax),
    email: form.get('email') || null,
    language: languages.find((one) => one === form.get('language')) ?? client.language,
    timeZone: form.get('timeZone') || client.timeZone,
    linkLifetimeS: known.includes(lifetime) ? Number(lifetime) : client.linkLifetimeS,
    // A page that was open since before there was this field keeps it.
    address: form.has('address') ? form.get('address') || null : client.address,
    taxNumber: form.has('taxNumber') ? form.get('taxNumber') || null : client.taxNumber,
  }
}

/** What the form shows of a client. */
function factsOf({ language }: Visit, client: Client): Fact[] {
  const texts = words[language]
  return [
    fieldFact('name', texts.name, client.name),
    fieldFact('email', texts.email, client.email),
    fieldFact('language', texts.language, client.language),
    fieldFact('timeZone', texts.timeZone, client.timeZone),
    fieldFact('lifetime', texts.lifetime, String(client.linkLifetimeS)),
    fieldFact('address', texts.address, client.address),
    fieldFact('taxNumber', texts.taxNumber, client.taxNumber),
  ]
}

type Shown = Pick<
  Client,
  'name' | 'email' | 'language' | 'timeZone' | 'linkLifetimeS' | 'address' | 'taxNumber'
>

/** What to show of a form that was refused: what was typed, and what is wrong by form. */
interface Refused {
  change?: Shown
  names?: Problems
  look?: Problems
}

/** The settings of a client. */
export async function settingsScreen(
  clients: Clients,
  visit: Visit,
  { change, names = {}, look = {} }: Refused = {},
): Promise<Screen | undefined> {
  const { title } = words[visit.language]
  const client = await clients.find(visit.client.id)
  if (client === undefined) return undefined
  const own = { ...client, ...change }
  const mayChange = visit.may('settings.change')
  const place = { path: '/dashboard/settings', mayChange }
  return {
    title,
    section: 'settings',
    body: html`<div class="head"><h1>${title}</h1></div>
${mayChange ? form(visit, own, factsOf(visit, client), names) : shown(visit, own)}
${lookCard(visit, place, await clients.findBrand(client.id), look)}`,
  }
}

export function savedText(language: Language): string {
  return words[language].saved
}

/** The same for people who may not change anything. */
function shown({ language }: Visit, client: Shown) {
  const texts = words[language]
  return html`<section class="card">${facts([
    [texts.name, html`<bdi>${client.name}</bdi>`],
    [texts.email, client.email ?? texts.none],
    [texts.language, languageNames[client.language]],
    [texts.timeZone, client.timeZone],
    [texts.lifetime, lifetimeText(texts, client.linkLifetimeS)],
    [texts.address, client.address !== null && html`<bdi>${client.address}</bdi>`],
    [texts.taxNumber, client.taxNumber !== null && html`<bdi>${client.taxNumber}</bdi>`],
  ])}</section>`
}

function form(visit: Visit, client: Shown, seen: Fact[], problems: Problems) {
  const texts = words[visit.language]
  const { name, email, language, timeZone, linkLifetimeS } = client
  const optional = (own: 'address' | 'taxNumber', maxLength: number) =>
    field(
      {
        name: own,
        label: texts[own],
        hint: texts[`${own}Hint`],
        value: client[own] ?? '',
        maxLength,
      },
      problems,
    )
  const offered = [...new Set([...lifetimes, linkLifetimeS])].toSorted((a, b) => a - b)
  return html`<form class="card" method="post" action="/dashboard/settings">${tokenField(
    visit,
    seen,
  )}
${problemList(visit.language, problems)}
${field(
  { name: 'name', label: texts.name, hint: texts.nameHint, value: name, maxLength: nameMax },
  problems,
)}
${field(
  { name: 'email', label: texts.email, hint: texts.emailHint, type: 'email', value: email ?? '' },
  problems,
)}
${languageField(texts.language, language)}
${field(
  {
    name: 'timeZone',
    label: texts.timeZone,
    hint: texts.timeZoneHint,
    value: timeZone,
    options: timeZones.map((one) => [one, one]),
  },
  problems,
)}
${field({
  name: 'lifetime',
  label: texts.lifetime,
  value: String(linkLifetimeS),
  options: offered.map((one) => [String(one), lifetimeText(texts, one)]),
})}
${optional('address', addressMax)}
${optional('taxNumber', taxNumberMax)}
<button>${texts.save}</button></form>`
}

type Units = Pick<(typeof words)['fr'], 'days' | 'hours' | 'minutes'>

function lifetimeText({ days, hours, minutes }: Units, seconds: number): string {
  if (seconds % dayS === 0) return days(seconds / dayS)
  return seconds % hourS === 0 ? hours(seconds / hourS) : minutes(Math.round(seconds / 60))
}

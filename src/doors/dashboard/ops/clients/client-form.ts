import { type Html, html } from '#base/kit/html.ts'
import { type Language, languages } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { Form } from '#doors/dashboard/frame/actions.ts'
import { field, languageNames, type Problems } from '#doors/dashboard/frame/fields.ts'
import type { readFields } from '#doors/dashboard/frame/read-fields.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { sentenceOf } from '#doors/dashboard/frame/words.ts'
import { type UrlRules, urlProblem } from '#edge/wire/urls.ts'
import { tiers } from '#merchants/clients/statuses.ts'
import type { Client } from '#merchants/clients/store.ts'

const words = inBoth({
  fr: {
    name: 'Nom',
    nameHint: fr`Ce nom est montré aux payeurs.`,
    email: fr`Adresse e-mail des notifications`,
    emailHint: fr`Vide : aucun message.`,
    language: fr`Langue des notifications`,
    callbackUrl: 'Adresse des webhooks',
    callbackUrlHint: fr`Utilisée quand une requête n'en donne pas. Vide : aucune.`,
    tier: 'Formule',
    tiers: { standard: fr`Standard : 100 requêtes par minute`, enterprise: 'Entreprise' },
    ratePerMinute: fr`Requêtes par minute`,
    rateHint: fr`Pour la formule entreprise seulement.`,
  },
  en: {
    name: 'Name',
    nameHint: 'Payers see this name.',
    email: 'Email address for notifications',
    emailHint: 'Leave blank for no messages.',
    language: 'Language of notifications',
    callbackUrl: 'Webhook address',
    callbackUrlHint: 'Used when a request gives none. Leave blank for none.',
    tier: 'Tier',
    tiers: { standard: 'Standard: 100 requests per minute', enterprise: 'Enterprise' },
    ratePerMinute: 'Requests per minute',
    rateHint: 'For the enterprise tier only.',
  },
})

const nameMax = 80
const rateMax = 100_000_000

/** The fields as they are typed. */
export type ClientFields = Record<
  'name' | 'email' | 'language' | 'callbackUrl' | 'tier' | 'ratePerMinute',
  string
>

/** The fields of a client as it is. */
export function fieldsOf(client: Client): ClientFields {
  const { name, email, language, callbackUrl, tier, ratePerMinute } = client
  return {
    name,
    email: email ?? '',
    language,
    callbackUrl: callbackUrl ?? '',
    tier,
    ratePerMinute: tier === 'enterprise' ? String(ratePerMinute) : '',
  }
}

/** Reads what creating and changing a client share. */
export function readClient(
  { language }: OpsVisit,
  form: Form,
  read: ReturnType<typeof readFields>,
  rules: UrlRules['mode'],
) {
  const say = words[language]
  const name = read.line('name', say.name, nameMax, true)
  const email = read.mail('email', say.email)
  const chosen = read.choice('language', say.language, languages)
  const tier = read.choice('tier', say.tier, tiers)
  const callbackUrl = form.get('callbackUrl')
  const wrongUrl = callbackUrl === '' ? undefined : urlProblem(say.callbackUrl, callbackUrl, rules)
  if (wrongUrl !== undefined) read.refuse('callbackUrl', sentenceOf(wrongUrl, language))
  const rate = form.get('ratePerMinute')
  const isRateNeeded = tier === 'enterprise' || rate !== ''
  const ratePerMinute = isRateNeeded
    ? read.amount('ratePerMinute', say.ratePerMinute, { min: 1, max: rateMax })
    : undefined
  return {
    name,
    email: email === '' ? null : email,
    language: chosen,
    callbackUrl: callbackUrl === '' ? null : callbackUrl,
    tier,
    ...(ratePerMinute === undefined ? {} : { ratePerMinute }),
  }
}

/** What creating and changing a client ask for. */
export function clientFields(
  visit: OpsVisit,
  typed: Partial<ClientFields>,
  problems: Problems,
): Html {
  const say = words[visit.language]
  const text = (name: 'name' | 'email' | 'callbackUrl', hint: string) => ({
    name,
    label: say[name],
    hint,
    value: typed[name] ?? '',
    autocomplete: 'off',
  })
  const rate = { name: 'ratePerMinute', label: say.ratePerMinute, hint: say.rateHint }
  const name = { ...text('name', say.nameHint), isRequired: true, maxLength: nameMax }
  return html`${field(name, problems)}
${field({ ...text('email', say.emailHint), type: 'email' }, problems)}
${field(
  {
    name: 'language',
    label: say.language,
    value: typed.language ?? '',
    options: languages.map((one) => [one, languageNames[one]]),
  },
  problems,
)}
${field({ ...text('callbackUrl', say.callbackUrlHint), inputmode: 'url' }, problems)}
${field(
  {
    name: 'tier',
    label: say.tier,
    value: typed.tier ?? '',
    options: tiers.map((one) => [one, say.tiers[one]]),
  },
  problems,
)}
${field({ ...rate, value: typed.ratePerMinute ?? '', inputmode: 'numeric' }, problems)}`
}

/** The names of the fields, in the order of the form. */
export function fieldLabels(language: Language): [name: keyof ClientFields, label: string][] {
  const say = words[language]
  return [
    ['name', say.name],
    ['email', say.email],
    ['language', say.language],
    ['callbackUrl', say.callbackUrl],
    ['tier', say.tier],
    ['ratePerMinute', say.ratePerMinute],
  ]
}

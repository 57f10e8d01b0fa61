import { type Html, html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { moment } from '#doors/dashboard/frame/components.ts'
import { field, problemList } from '#doors/dashboard/frame/fields.ts'
import { tokenField } from '#doors/dashboard/frame/layout.ts'
import { type Fact, fieldFact } from '#doors/dashboard/frame/reviewed.ts'
import type { Visit } from '#doors/dashboard/frame/visit.ts'
import type { Client } from '#merchants/clients/store.ts'
import { overlapField } from '../overlap.ts'
import type { Typed } from './delivery-list.ts'

const words = inBoth({
  fr: {
    address: fr`Adresse par défaut`,
    field: 'Adresse',
    addressHint: fr`Utilisée si le paiement n'a pas de callBackURL. Vide : aucun envoi.`,
    noAddress: 'Aucune adresse enregistrée.',
    save: 'Enregistrer',
    test: fr`Envoyer un événement de test`,
    secrets: 'Secret de signature',
    secretsHint: fr`Il sert à vérifier qu'un webhook vient bien de nous.`,
    noSecret: fr`Aucun secret : les webhooks ne sont pas signés.`,
    made: fr`Créé le`,
    until: fr`signe jusqu'au`,
    rotate: 'Nouveau secret',
    rotateGo: 'Renouveler le secret',
  },
  en: {
    address: 'Default address',
    field: 'Address',
    addressHint: 'Used when a payment has no callBackURL. Leave blank to send none.',
    noAddress: 'No address set.',
    save: 'Save',
    test: 'Send a test event',
    secrets: 'Signing secret',
    secretsHint: 'Use it to verify that a webhook comes from us.',
    noSecret: 'No secret: webhooks are not signed.',
    made: 'Created',
    until: 'signs until',
    rotate: 'New secret',
    rotateGo: 'Rotate secret',
  },
})

const path = '/dashboard/developers/webhooks'

/** Where webhooks go, as the forms of the address and of a test show it. */
export function addressFacts(
  { language }: Visit,
  { callbackUrl }: Pick<Client, 'callbackUrl'>,
): Fact[] {
  return [fieldFact('address', words[language].address, callbackUrl)]
}

export function addressCard(visit: Visit, url: string | null, { fields, problems }: Typed): Html {
  const seen = addressFacts(visit, { callbackUrl: url })
  const say = words[visit.language]
  const own = problems.address === undefined ? {} : { address: problems.address }
  const value = fields.address ?? url ?? ''
  const hint = say.addressHint
  return html`<section class="card"><h2>${say.address}</h2>
${problemList(visit.language, own)}
${
  visit.may('callback.change')
    ? html`<form method="post" action="${path}/address">${tokenField(visit, seen)}
${field({ name: 'address', label: say.field, type: 'url', value, hint }, own)}
<button>${say.save}</button></form>`
    : html`<p>${url === null ? say.noAddress : html`<code>${url}</code>`}</p>`
}
${
  url !== null &&
  visit.may('event.resend') &&
  html`<form method="post" action="${path}/test">${tokenField(visit, seen)}
<button class="second">${say.test}</button></form>`
}</section>`
}

interface SecretDates {
  createdAt: Date
  expiresAt: Date | null
}

/** Since when secrets sign, as the form of a new one shows it. */
export function secretFacts(visit: Visit, secrets: SecretDates[]): Fact[] {
  const { secrets: label, made } = words[visit.language]
  const times = secrets.map(({ createdAt }) => createdAt.toISOString()).toSorted()
  const show = () => secrets.map(({ createdAt }) => html`${made} ${moment(visit, createdAt)} `)
  return [{ name: 'secrets', label, value: times.join(' '), show }]
}

export function secretsCard(visit: Visit, secrets: SecretDates[]): Html {
  const say = words[visit.language]
  const until = (expiresAt: Date | null): Piece =>
    expiresAt !== null && html`, ${say.until} ${moment(visit, expiresAt)}`
  return html`<section class="card"><h2>${say.secrets}</h2><p class="hint">${say.secretsHint}</p>
${secrets.length === 0 && html`<p>${say.noSecret}</p>`}
<ul>${secrets.map(
    ({ createdAt, expiresAt }) =>
      html`<li>${say.made} ${moment(visit, createdAt)}${until(expiresAt)}</li>`,
  )}</ul>
${
  visit.may('secret.rotate') &&
  html`<form method="post" action="${path}/secret">${tokenField(visit, secretFacts(visit, secrets))}
${overlapField(visit)}<button class="second">${say.rotateGo}</button></form>`
}</section>`
}

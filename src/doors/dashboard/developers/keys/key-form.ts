import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { Form } from '#doors/dashboard/frame/actions.ts'
import { checkbox, field, type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { tokenField } from '#doors/dashboard/frame/layout.ts'
import { WrongFields } from '#doors/dashboard/frame/problems.ts'
import type { AnyVisit } from '#doors/dashboard/frame/visit.ts'
import { isAddressOrNetwork } from '#merchants/clients/allowed-addresses.ts'
import { type KeyRight, keyRights, usualKeyRights } from '#merchants/clients/key-rights.ts'
import { beyond, grantedTo } from './granted.ts'
import { keyWords, rightsText } from './key-words.ts'

/** What the form of a new key says, and the page after it. */
export const keyFormWords = inBoth({
  fr: {
    title: fr`Créer une clé`,
    labelHint: fr`Le programme qui s'en sert, par exemple « caisse » ou « site ».`,
    rightsHint: fr`Donnez-lui seulement ce dont le programme a besoin.`,
    fewer: fr`Les droits que votre rôle n'a pas ne sont pas proposés.`,
    noRight: fr`Donnez-lui au moins un droit.`,
    notYours: (rights: string) => fr`Votre rôle n'a pas ces droits : ${rights}`,
    fromHint: fr`Une adresse ou un réseau par ligne, par exemple
      196.207.1.10 ou 10.0.0.0/8. Vide : toutes.`,
    rateHint: (most: number) => fr`Au plus ${most}, la limite du marchand. Vide : cette limite.`,
    anyRate: fr`Vide : la limite du marchand.`,
    go: fr`Créer la clé`,
    made: fr`La clé est créée. Voici son secret :`,
    noLabel: fr`Donnez-lui un nom de 60 caractères au plus.`,
    noRate: (most: number) => fr`Écrivez un nombre entier de 1 à ${most}.`,
    noAddress: (text: string) => fr`Ce n'est pas une adresse ou un réseau : ${text}`,
  },
  en: {
    title: 'Create a key',
    labelHint: 'The program that uses it, for example “till” or “website”.',
    rightsHint: 'Give it only what the program needs.',
    fewer: 'Rights that your role lacks are not offered.',
    noRight: 'Give it at least one right.',
    notYours: (rights: string) => `Your role lacks these rights: ${rights}`,
    fromHint:
      'One address or network a line, such as 196.207.1.10 or 10.0.0.0/8. Leave blank for all.',
    rateHint: (most: number) => `At most ${most}, the merchant’s limit. Leave blank for it.`,
    anyRate: 'Leave blank for the merchant’s limit.',
    go: 'Create the key',
    made: 'The key is created. This is its secret:',
    noLabel: 'Give it a name of at most 60 characters.',
    noRate: (most: number) => `Enter a whole number from 1 to ${most}.`,
    noAddress: (text: string) => `Not an address or network: ${text}`,
  },
})

const labelLengthMax = 60
const addressesMax = 50
const rateLimit = 100_000_000

const fieldOf = (right: KeyRight) => `right-${right}`

/** Reads the form; an operator may give any rate (null), a merchant at most its own. */
export function readKey(visit: AnyVisit, sent: Form, rateMax: number | null) {
  const say = keyFormWords[visit.language]
  const problems: Problems = {}
  const label = sent.get('label')
  if (label === '' || label.length > labelLengthMax) problems.label = say.noLabel
  const allowedAddresses = sent
    .get('addresses')
    .split(/[\s,;]+/)
    .filter(Boolean)
  const wrong = allowedAddresses.filter((one) => !isAddressOrNetwork(one))
  if (wrong.length > 0 || allowedAddresses.length > addressesMax)
    problems.addresses = say.noAddress((wrong.length > 0 ? wrong : allowedAddresses).join(' '))
  const rate = sent.get('rate')
  const ratePerMinute = rate === '' ? null : Number(rate)
  const most = rateMax ?? rateLimit
  const isWhole = /^\d{1,9}$/.test(rate) && Number(rate) >= 1 && Number(rate) <= most
  if (rate !== '' && !isWhole) problems.rate = say.noRate(most)
  const scope = sent.get('scope') === 'client' ? ('client' as const) : ('key' as const)
  const rights = keyRights.filter((right) => sent.has(fieldOf(right)))
  const [lacking] = beyond(visit, rights)
  if (rights.length === 0) problems[fieldOf('read')] = say.noRight
  if (lacking !== undefined)
    problems[fieldOf(lacking)] = say.notYours(rightsText(visit, beyond(visit, rights)))
  if (Object.keys(problems).length > 0) throw new WrongFields(problems)
  return { label, allowedAddresses, ratePerMinute, scope, rights }
}

/** The form of a new key, sent to an address. */
export function keyForm(
  visit: AnyVisit,
  {
    action,
    rateMax,
    typed,
    problems,
  }: {
    action: string
    rateMax: number | null
    typed: Record<string, string>
    problems: Problems
  },
): Html {
  const { language } = visit
  const say = keyFormWords[language]
  const names = keyWords[language]
  const text = (name: string, label: string, hint: string) => ({
    name,
    label,
    hint,
    value: typed[name] ?? '',
  })
  const label = {
    ...text('label', names.label, say.labelHint),
    isRequired: true,
    maxLength: labelLengthMax,
  }
  const rateHint = rateMax === null ? say.anyRate : say.rateHint(rateMax)
  return html`<form class="card" method="post" action="${action}">${tokenField(visit)}
${problemList(language, problems)}
${field(label, problems)}
${field({
  name: 'scope',
  label: names.sees,
  value: typed.scope ?? 'key',
  options: [
    ['key', names.seesKey],
    ['client', names.seesClient],
  ],
})}
${rightsField(visit, typed)}
${field({ ...text('addresses', names.from, say.fromHint), rows: 3 }, problems)}
${field({ ...text('rate', names.rate, rateHint), inputmode: 'numeric' }, problems)}
<button>${say.go}</button></form>`
}

/** A box for each right that the person may give. */
function rightsField(visit: AnyVisit, typed: Record<string, string>): Html {
  const say = keyFormWords[visit.language]
  const { may, rights: names } = keyWords[visit.language]
  const granted = grantedTo(visit)
  const isSent = Object.keys(typed).length > 0
  const isTicked = (right: KeyRight) =>
    isSent ? Object.hasOwn(typed, fieldOf(right)) : usualKeyRights.includes(right)
  const box = (right: KeyRight) => checkbox(fieldOf(right), names[right], isTicked(right))
  return html`<fieldset><legend>${may}</legend><p class="hint">${say.rightsHint}${
    granted.length < keyRights.length && html` ${say.fewer}`
  }</p>${granted.map(box)}</fieldset>`
}

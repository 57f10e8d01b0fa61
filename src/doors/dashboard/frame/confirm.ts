import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { field, type Problems, problemList } from './fields.ts'
import type { Screen } from './layout.ts'
import { passkeyForm } from './passkey-form.ts'
import type { AnyVisit } from './visit.ts'

const words = inBoth({
  fr: {
    title: fr`Confirmez votre identité`,
    text: fr`Pour votre sécurité, saisissez votre mot de passe avant de continuer.`,
    orCode: fr`Pour votre sécurité, saisissez votre mot de passe ou un code avant de continuer.`,
    passkey: fr`Utiliser une clé d'accès`,
    password: fr`Mot de passe`,
    code: fr`Ou le code de votre application`,
    wrong: fr`Mot de passe ou code incorrect.`,
    wrongPasskey: fr`Cette clé d'accès n'a pas été reconnue. Essayez encore.`,
    go: 'Continuer',
  },
  en: {
    title: 'Confirm that it is you',
    text: 'For your security, enter your password before you continue.',
    orCode: 'For your security, enter your password or a code before you continue.',
    passkey: 'Use a passkey',
    password: 'Password',
    code: 'Or the code from your app',
    wrong: 'Incorrect password or code.',
    wrongPasskey: 'This passkey was not recognised. Try again.',
    go: 'Continue',
  },
})

/** The fields in which a person confirms: with a password, a code or a passkey. */
export const confirmFields = ['confirm-password', 'confirm-code', 'confirm-passkey'] as const

/** Why the screen is shown. */
export type ConfirmProblem = 'ask' | 'wrong' | 'wrong passkey'

interface Ways {
  problem: ConfirmProblem
  hasApp: boolean
  /** What a browser needs to use one of the person's passkeys; null: there is none. */
  passkey: object | null
}

/** Asks who it is once more, with all that was typed kept in hidden fields. */
export function confirmScreen(
  visit: AnyVisit,
  fields: Record<string, string>,
  { problem, hasApp, passkey }: Ways,
): Screen {
  const { language, path: action } = visit
  const texts = words[language]
  const [passwordField, , passkeyField] = confirmFields
  const problems: Problems = {
    ...(problem === 'wrong' && { [passwordField]: texts.wrong }),
    ...(problem === 'wrong passkey' && { '': texts.wrongPasskey }),
  }
  const kept = keptFields(fields)
  const device = { action, options: passkey ?? {}, button: texts.passkey, fields: kept }
  return {
    title: texts.title,
    status: problem === 'ask' ? 403 : 422,
    body: html`<section class="card narrow"><h1>${texts.title}</h1>
${problemList(language, problems)}
${passkey !== null && passkeyForm(language, { ...device, name: passkeyField })}
<form method="post" action="${action}">${kept}
<p>${hasApp ? texts.orCode : texts.text}</p>
${typedFields(visit, hasApp, problems)}
<button class="${passkey !== null && 'second'}">${texts.go}</button></form></section>`,
  }
}

/** With the token: sent again from the page before, it is still the same form. */
function keptFields(fields: Record<string, string>): Html[] {
  const own = new Set<string>(confirmFields)
  return Object.entries(fields)
    .filter(([name]) => !own.has(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}

function typedFields({ language }: AnyVisit, hasApp: boolean, problems: Problems): Html {
  const { password, code } = words[language]
  const [passwordField, codeField] = confirmFields
  const secret = { type: 'password', autocomplete: 'current-password', isRequired: !hasApp }
  const once = { autocomplete: 'one-time-code', maxLength: 20 }
  return html`${field({ name: passwordField, label: password, ...secret }, problems)}
${hasApp && field({ name: codeField, label: code, ...once })}`
}

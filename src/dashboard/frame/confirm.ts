import { html } from '../../kit/html.ts'
import { fr } from '../../pages/typography.ts'
import type { Problems } from './fields.ts'
import { field, problemList } from './fields.ts'
import type { Screen } from './layout.ts'
import type { AnyVisit } from './visit.ts'
import { inBoth } from './words.ts'

const words = inBoth({
  fr: {
    title: fr`Confirmez votre identité`,
    text: fr`Pour votre sécurité, saisissez votre mot de passe avant de continuer.`,
    orCode: fr`Pour votre sécurité, saisissez votre mot de passe ou un code avant de continuer.`,
    password: fr`Mot de passe`,
    code: fr`Ou le code de votre application`,
    wrong: fr`Ce mot de passe ou ce code n'est pas le bon.`,
    go: 'Continuer',
  },
  en: {
    title: 'Confirm that it is you',
    text: 'For your safety, enter your password before you go on.',
    orCode: 'For your safety, enter your password or a code before you go on.',
    password: 'Password',
    code: 'Or the code of your app',
    wrong: 'This password or this code is not right.',
    go: 'Continue',
  },
})

/** The fields in which a person confirms, with their password or a code. */
export const confirmFields = ['confirm-password', 'confirm-code'] as const

/** Asks for the password or a code, with all that was typed kept in hidden fields. */
export function confirmScreen(
  visit: AnyVisit,
  fields: Record<string, string>,
  { problem, hasFactor }: { problem: 'ask' | 'wrong'; hasFactor: boolean },
): Screen {
  const texts = words[visit.language]
  const [passwordField, codeField] = confirmFields
  // With the token: sent again from the page before, it is still the same form.
  const own = new Set<string>(confirmFields)
  const kept = Object.entries(fields).filter(([name]) => !own.has(name))
  const problems: Problems = problem === 'wrong' ? { [passwordField]: texts.wrong } : {}
  const password = { type: 'password', autocomplete: 'current-password', isRequired: !hasFactor }
  const code = { autocomplete: 'one-time-code', maxLength: 20 }
  return {
    title: texts.title,
    status: problem === 'ask' ? 403 : 422,
    body: html`<form class="card" method="post" action="${visit.path}"><h1>${texts.title}</h1>
<p>${hasFactor ? texts.orCode : texts.text}</p>
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${problemList(visit.language, problems)}
${field({ name: passwordField, label: texts.password, ...password }, problems)}
${hasFactor && field({ name: codeField, label: texts.code, ...code })}
<button>${texts.go}</button></form>`,
  }
}

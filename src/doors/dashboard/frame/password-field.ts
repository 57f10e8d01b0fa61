import { type Html, html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { passwordLengthMin } from '#merchants/people/passwords/passwords.ts'
import { field, type Problems } from './fields.ts'

const words = inBoth({
  fr: {
    label: fr`Nouveau mot de passe`,
    hint: fr`Au moins ${passwordLengthMin} caractères. Trois ou quatre mots font un bon mot
      de passe.`,
  },
  en: {
    label: 'New password',
    hint: `At least ${passwordLengthMin} characters. Three or four words make a good password.`,
  },
})

/** The field of a password to choose; with the address, by which password managers keep it. */
export function newPasswordField(language: Language, email: string, problems: Problems): Html {
  const look = { type: 'password', autocomplete: 'new-password', isRequired: true }
  return html`<input type="hidden" name="username" value="${email}" autocomplete="username">
${field({ name: 'password', ...words[language], ...look }, problems)}`
}

import type { Language } from '#base/kit/language.ts'
import { isMailAddress } from '#base/kit/mail-address.ts'
import { formatAmount, readAmount } from '#base/kit/money.ts'
import { breaksLine } from '#base/kit/one-line.ts'
import { en, fr, inBoth } from '#base/kit/texts.ts'
import { type UrlRules, urlProblem } from '#edge/wire/urls.ts'
import { hasVisibleCharacter } from '#edge/wire/visible-text.ts'
import type { Problems } from './fields.ts'
import { WrongFields } from './problems.ts'

const words = inBoth({
  fr: {
    missing: (label: string) => fr`${label} : à remplir.`,
    long: (label: string, max: number) => fr`${label} : ${max} caractères au plus.`,
    line: (label: string) => fr`${label} : une seule ligne, sans caractère spécial invisible.`,
    amount: (label: string, min: string, max: string) =>
      fr`${label} : un nombre entier de ${min} à ${max}.`,
    mail: (label: string) => fr`${label} : une adresse e-mail complète, comme awa@exemple.sn.`,
    address: (label: string) => fr`${label} : une adresse complète, qui commence par https://.`,
    choice: (label: string) => fr`${label} : choisissez une des possibilités.`,
  },
  en: {
    missing: (label: string) => en`${label}: please fill in.`,
    long: (label: string, max: number) => en`${label}: at most ${max} characters.`,
    line: (label: string) => en`${label}: one line, without invisible special characters.`,
    amount: (label: string, min: string, max: string) =>
      en`${label}: a whole number from ${min} to ${max}.`,
    mail: (label: string) => en`${label}: a complete email address, such as awa@example.sn.`,
    address: (label: string) => en`${label}: a whole address that begins with https://.`,
    choice: (label: string) => en`${label}: choose one of the possibilities.`,
  },
})

/**
 * Reads the fields of a form one by one and collects a sentence for each that is wrong. What a
 * reader returns for a wrong field is not to be used: check `isRight()` first.
 */
export function readFields(language: Language, get: (name: string) => string) {
  const problems: Problems = {}
  const say = words[language]
  const refuse = (name: string, sentence: string) => {
    problems[name] ??= sentence
  }

  /** One line of text; empty where it is not required. */
  function line(name: string, label: string, max: number, isRequired = false): string {
    const text = get(name).trim()
    if (isRequired && !hasVisibleCharacter(text)) refuse(name, say.missing(label))
    else if (breaksLine(text)) refuse(name, say.line(label))
    else if (Array.from(text).length > max) refuse(name, say.long(label, max))
    return text
  }

  return {
    problems,
    isRight: () => Object.keys(problems).length === 0,
    /** Throws all that is wrong. */
    check: () => {
      if (Object.keys(problems).length > 0) throw new WrongFields(problems)
    },
    has: (name: string) => get(name).trim() !== '',
    refuse,
    line,
    /** Whole francs, however people write them. */
    amount(name: string, label: string, { min, max }: { min: number; max: number }): number {
      const francs = readAmount(get(name)) ?? Number.NaN
      if (get(name).trim() === '') refuse(name, say.missing(label))
      else if (!(francs >= min && francs <= max))
        refuse(name, say.amount(label, formatAmount(min), formatAmount(max)))
      return francs
    },
    mail(name: string, label: string): string {
      const text = line(name, label, 254)
      if (text !== '' && !isMailAddress(text)) refuse(name, say.mail(label))
      return text
    },
    /** An address that a browser opens. */
    address(name: string, label: string, mode: UrlRules['mode']): string {
      const text = get(name).trim()
      if (text !== '' && urlProblem(name, text, mode) !== undefined)
        refuse(name, say.address(label))
      return text
    },
    choice<T extends string>(name: string, label: string, choices: readonly T[]): T {
      const chosen = choices.find((one) => one === get(name))
      if (chosen === undefined) refuse(name, say.choice(label))
      return (chosen ?? '') as T
    },
  }
}

import type { Html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import type { UrlRules } from '#edge/wire/urls.ts'
import { type Field, field } from './fields.ts'
import type { Sent } from './form-page.ts'
import type { readFields } from './read-fields.ts'
import { type Fact, fieldFact } from './reviewed.ts'

type Reader = ReturnType<typeof readFields>
type Look = Partial<Omit<Field, 'name' | 'label' | 'value'>>

/** How a field looks and how what is typed in it is read: its limits are written here alone. */
interface Kind<T> {
  look: Look
  read(reader: Reader, name: string, label: string): T
}

/** One line of text; empty where it is not required. */
export function line(max: number, look: Look = {}): Kind<string> {
  return {
    look: { maxLength: max, ...look },
    read: (reader, name, label) => reader.line(name, label, max, look.isRequired),
  }
}

/** The same for one that is null where it is empty. */
export function optionalLine(max: number, look: Look = {}): Kind<string | null> {
  const { read, ...kind } = line(max, look)
  return { ...kind, read: (...given) => read(...given) || null }
}

/** Whole francs, or a whole number. */
export function amount(range: { min: number; max: number }, look: Look = {}): Kind<number> {
  return {
    look: { inputmode: 'numeric', maxLength: 20, ...look },
    read: (reader, name, label) => reader.amount(name, label, range),
  }
}

/** An address for mail; null where it is empty. */
export function mail(): Kind<string | null> {
  return {
    look: { type: 'email', maxLength: 254 },
    read: (reader, name, label) => reader.mail(name, label) || null,
  }
}

/** An address that a browser opens; null where it is empty. */
export function optionalUrl(mode: UrlRules['mode'], look: Look = {}): Kind<string | null> {
  return { look, read: (reader, name, label) => reader.address(name, label, mode) || null }
}

type Texts<Name extends string> = Record<Name, string> & { [N in Name as `${N}Hint`]?: string }

/** A form whose labels and hints are among `words`, under the names of its fields. */
export function defineForm<Kinds extends Record<string, Kind<unknown>>>(
  words: Record<Language, Texts<keyof Kinds & string>>,
  kinds: Kinds,
) {
  type Name = keyof Kinds & string
  type Values = { [N in Name]: ReturnType<Kinds[N]['read']> }
  const names = Object.keys(kinds) as Name[]
  const labelOf = (language: Language, name: Name) => words[language][name]
  return {
    names,
    /** What is typed; whoever calls it checks the reader in the end. */
    read(reader: Reader, language: Language): Values {
      const values = names.map((name) => [
        name,
        kinds[name]?.read(reader, name, labelOf(language, name)),
      ])
      return Object.fromEntries(values) as Values
    },
    /** A field with what was typed in it and what is wrong with it. */
    field(language: Language, name: Name, { typed = {}, problems }: Sent, look: Look = {}): Html {
      const texts: Partial<Record<string, string>> = words[language]
      const hint = texts[`${name}Hint`]
      const own = { ...kinds[name]?.look, ...(hint !== undefined && { hint }), ...look }
      const value = typed[name] ?? ''
      return field({ name, label: labelOf(language, name), value, ...own }, problems)
    },
    /** What the fields hold, as facts of a review. */
    facts(language: Language, values: Partial<Record<Name, string | null>>): Fact[] {
      return names.map((name) => fieldFact(name, labelOf(language, name), values[name] ?? null))
    },
  }
}

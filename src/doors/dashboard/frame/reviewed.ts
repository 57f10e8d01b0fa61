import { type Html, html, type Piece } from '#base/kit/html.ts'
import type { SealedFacts } from '#merchants/people/sessions/forms.ts'
import type { Answer, Form } from './actions.ts'
import type { Problems } from './fields.ts'
import type { Screen } from './layout.ts'

type Value = SealedFacts[string]

/** Something that a form shows of what it acts on. The form carries it: only what may be seen. */
export interface Fact {
  name: string
  label: string
  value: Value
  /** How a value is shown; as it is unless given. */
  show?(value: Value): Piece
  /** What the person wants in its place, where the form does not begin with what is. */
  wanted?: Piece
  /** It fills the field of this name. One that the person leaves alone changes nothing. */
  isField?: boolean
}

/**
 * What a person reviews before they send a form. What it shows is put into the form (`tokenField`)
 * and compared when it is sent: if anything differs nothing is done, and they are asked again.
 */
export interface Reviewed<V, S> {
  /** What the form acts on, as it is now; undefined is a 404. */
  find(visit: V, form: Form): Answer<S | undefined>
  /** What the form shows of it: the same as its `tokenField` was given. */
  facts(visit: V, subject: S, form: Form): Fact[]
  /** Shows the form with what `find` refuses of it, and what the verb does unless its rules say. */
  unread?(
    visit: V,
    problems: Problems,
    form: Form,
  ): Promise<Screen | undefined> | Screen | undefined
  /** Shows the review anew, under what has changed; a screen for all forms does unless given. */
  again?(visit: V, subject: S, form: Form, changed: Html): Answer<Screen | undefined>
}

/** The fact that a field of this name holds. */
export function fieldFact(name: string, label: string, value: string | null): Fact {
  return { name, label, value: value ?? '', isField: true }
}

export function sealOf(facts: Fact[]): SealedFacts {
  return Object.fromEntries(facts.map(({ name, value }) => [name, value]))
}

/** The same for `facts`: a name and a value each, without those that are empty. */
export function shownFacts(facts: Fact[]): [name: string, value: Piece][] {
  return facts.map((one) => [one.label, shownValue(one, one.value)])
}

/** A value of a fact in words; null: there is none. */
export function shownValue({ show }: Fact, value: Value | undefined): Piece {
  if (value === undefined || value === null || value === '') return null
  return show?.(value) ?? html`<bdi>${String(value)}</bdi>`
}

/** Gives fields that the person left as they were what somebody else has made of them since. */
export function keepUntouched(fields: Form['fields'], seen: SealedFacts, facts: Fact[]): void {
  for (const { name, value, isField } of facts) {
    if (isField !== true || !Object.hasOwn(seen, name)) continue
    if (textOf(fields[name]) !== textOf(seen[name])) continue
    if (textOf(value) === '') delete fields[name]
    else fields[name] = textOf(value)
  }
}

/** What is no longer as the person saw it, unless it has become what they want anyway. */
export function changesSince(fields: Form['fields'], seen: SealedFacts, facts: Fact[]): Fact[] {
  return facts.filter(({ name, value, isField }) => {
    const isSame = Object.hasOwn(seen, name) && seen[name] === value
    return !isSame && !(isField === true && textOf(fields[name]) === textOf(value))
  })
}

/** As browsers send it back: with other ends of lines, without spaces around. */
function textOf(value: Value | undefined): string {
  return String(value ?? '')
    .replaceAll('\r\n', '\n')
    .trim()
}

import { createHash } from 'node:crypto'
import { Rows } from './rows.ts'

/** A value that is written into the text: words of our own, never a caller's. */
export class Fragment {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

interface Statement {
  name: string
  text: string
}
/** What is written into a statement for one of its values, if it is not just sent beside it. */
type Written = Fragment | Rows['form'] | undefined

// By their text, and by what is written into it, which is nearly always the same.
const statements = new WeakMap<TemplateStringsArray, Statement & { written: Written[] }>()

/** What is sent beside a statement for one of its values. */
export function parametersOf(value: unknown): unknown[] {
  if (value instanceof Fragment) return []
  // A list is one parameter, an array.
  return value instanceof Rows ? value.parameters() : [value]
}

/** The statement that a template is with these values. */
export function statementOf(strings: TemplateStringsArray, values: unknown[]): Statement {
  const written = values.map(writtenOf)
  const known = statements.get(strings)
  if (known?.written.every((one, index) => one === written[index])) return known
  let parameters = 0
  const text = strings.reduce((done, part, index) => {
    const value = values[index - 1]
    if (value instanceof Fragment) return done + value.text + part
    const first = parameters + 1
    parameters += value instanceof Rows ? value.form.columns.length : 1
    return done + (value instanceof Rows ? value.form.textFrom(first) : `$${first}`) + part
  })
  const statement = { name: nameOf(text), text, written }
  statements.set(strings, statement)
  return statement
}

function writtenOf(value: unknown): Written {
  if (value instanceof Fragment) return value
  return value instanceof Rows ? value.form : undefined
}

const names = new Map<string, string>()

function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  names.set(text, name)
  return name
}

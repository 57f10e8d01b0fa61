import { createHash } from 'node:crypto'
import type pg from 'pg'
import { Rows } from './rows.ts'

/** A piece of SQL that is written into the text of a statement: only our own, never input. */
export class Fragment {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Runs one statement written as a tagged template; every `${value}` becomes a parameter. */
export type Run = <Row extends object = Record<string, unknown>>(
  strings: TemplateStringsArray,
  ...values: unknown[]
) => Promise<Row[]>

/** Runs a tagged template as a prepared statement; its values become parameters. */
export async function runStatement<Row extends object>(
  target: pg.Pool | pg.PoolClient,
  strings: TemplateStringsArray,
  values: unknown[],
): Promise<Row[]> {
  const { name, text } = statementOf(strings, values)
  const result = await target.query<Row>({ name, text, values: values.flatMap(parametersOf) })
  return result.rows
}

interface Statement {
  name: string
  text: string
}
/** The part of a value that changes the statement's text; undefined: the value is a parameter. */
type TextPart = Fragment | Rows['form'] | undefined

// The statement of each template, which nearly always has the same text parts.
const statements = new WeakMap<TemplateStringsArray, Statement & { textParts: TextPart[] }>()

function statementOf(strings: TemplateStringsArray, values: unknown[]): Statement {
  const textParts = values.map(textPartOf)
  const known = statements.get(strings)
  if (known?.textParts.every((one, index) => one === textParts[index])) return known
  let parameters = 0
  const text = strings.reduce((before, after, index) => {
    const value = values[index - 1]
    if (value instanceof Fragment) return before + value.text + after
    const first = parameters + 1
    parameters += value instanceof Rows ? value.form.columns.length : 1
    return before + (value instanceof Rows ? value.form.textFrom(first) : `$${first}`) + after
  })
  const statement = { name: nameOf(text), text, textParts }
  statements.set(strings, statement)
  return statement
}

function textPartOf(value: unknown): TextPart {
  if (value instanceof Fragment) return value
  return value instanceof Rows ? value.form : undefined
}

/** The parameters that one value of a template becomes. */
function parametersOf(value: unknown): unknown[] {
  if (value instanceof Fragment) return []
  // A list is one parameter: an array.
  return value instanceof Rows ? value.parameters() : [value]
}

const names = new Map<string, string>()

/** The name under which a connection prepares the statement: the same text has the same name. */
function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  names.set(text, name)
  return name
}

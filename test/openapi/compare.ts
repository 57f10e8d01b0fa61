import { compareSchemas, type Json, type Side } from './compare-schemas.ts'

export type Description = Json & {
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Json>; parameters?: Record<string, Parameter> }
}
interface Operation {
  operationId?: string
  security?: unknown
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { required?: boolean; content: Content }
  responses?: Record<string, { content?: Content }>
}
interface Parameter {
  name: string
  in: string
  required?: boolean
  schema?: Json
}
type Content = Record<string, { schema?: Json }>

/** What changed for programs that use the interface, one sentence each. */
export interface Changes {
  /** What makes a program fail that worked with the old description. */
  breaking: string[]
  /** What a program has to expect, although it was told that lists may grow. */
  warnings: string[]
}

/** Compares two descriptions of the interface as callers and generated clients see them. */
export function compareDescriptions(old: Description, now: Description): Changes {
  const changes: Changes = { breaking: [], warnings: [] }
  const pairs = { old, now, changes }
  compareGroup(old.paths, now.paths, { ...pairs, sends: 'request' })
  compareGroup(old.webhooks ?? {}, now.webhooks ?? {}, { ...pairs, sends: 'answer' })
  for (const name of Object.keys(old.components?.schemas ?? {}))
    if (now.components?.schemas?.[name] === undefined)
      changes.breaking.push(`the schema ${name} is gone, which generated clients are named after`)
  if (JSON.stringify(old.security) !== JSON.stringify(now.security))
    changes.breaking.push('requests have to prove who they are in another way')
  return changes
}

/** Whether the version of a description allows changes that break: its first number has risen. */
export function mayBreak(old: Description, now: Description): boolean {
  const majorOf = ({ info }: Description) => Number(info.version.split('.')[0])
  return majorOf(now) > majorOf(old)
}

interface Pair {
  old: Description
  now: Description
  changes: Changes
  /** What callers send is a request; what a webhook sends is to them as an answer. */
  sends: Side
}

function compareGroup(
  old: Description['paths'],
  now: Description['paths'],
  pair: Pair & { sends: Side },
): void {
  for (const [path, methods] of Object.entries(old))
    for (const [method, before] of Object.entries(methods)) {
      const after = now[path]?.[method]
      const where = `${method.toUpperCase()} ${path}`
      if (after === undefined) pair.changes.breaking.push(`${where} is gone`)
      else compareOperation(before, after, where, pair)
    }
}

function compareOperation(old: Operation, now: Operation, where: string, pair: Pair): void {
  const { breaking } = pair.changes
  if (old.operationId !== now.operationId)
    breaking.push(`${where} is called ${now.operationId} instead of ${old.operationId}`)
  if (JSON.stringify(old.security) !== JSON.stringify(now.security))
    breaking.push(`${where} has another security`)
  compareParameters(old, now, where, pair)
  compareBodies(old, now, where, pair)
  compareAnswers(old, now, where, pair)
}

function compareParameters(old: Operation, now: Operation, where: string, pair: Pair): void {
  const { breaking } = pair.changes
  const before = parametersOf(old, pair.old)
  const after = parametersOf(now, pair.now)
  for (const [key, one] of before) {
    const other = after.get(key)
    if (other === undefined) breaking.push(`${where}: the parameter ${key} is gone`)
    else compare(one.schema, other.schema, `${where} ${key}`, pair.sends, pair)
  }
  for (const [key, { required = false }] of after)
    if (pair.sends === 'request' && required && before.get(key)?.required !== true)
      breaking.push(`${where}: the parameter ${key} is required now`)
}

function parametersOf({ parameters = [] }: Operation, whole: Description) {
  const all = parameters.map((one) =>
    '$ref' in one
      ? (whole.components?.parameters?.[one.$ref.split('/').at(-1) ?? ''] as Parameter)
      : one,
  )
  return new Map(all.map((one) => [`${one.in} ${one.name}`, one]))
}

function compareBodies(old: Operation, now: Operation, where: string, pair: Pair): void {
  const { breaking } = pair.changes
  const isOptional = old.requestBody?.required !== true
  if (pair.sends === 'request' && isOptional && now.requestBody?.required === true)
    breaking.push(`${where}: a body is required now`)
  if (old.requestBody === undefined) return
  if (now.requestBody === undefined) breaking.push(`${where} takes no body any more`)
  else compareContents(old.requestBody.content, now.requestBody.content, where, pair.sends, pair)
}

function compareAnswers(old: Operation, now: Operation, where: string, pair: Pair): void {
  const { breaking, warnings } = pair.changes
  const isSuccess = (status: string) => status.startsWith('2')
  for (const [status, { content = {} }] of Object.entries(old.responses ?? {})) {
    const after = now.responses?.[status]
    if (after !== undefined)
      compareContents(content, after.content ?? {}, `${where} ${status}`, 'answer', pair)
    else if (isSuccess(status)) breaking.push(`${where} no longer answers ${status}`)
    else warnings.push(`${where} no longer answers ${status}`)
  }
  for (const status of Object.keys(now.responses ?? {}))
    if (old.responses?.[status] === undefined)
      (isSuccess(status) ? breaking : warnings).push(`${where} can answer ${status} now`)
}

function compareContents(old: Content, now: Content, where: string, side: Side, pair: Pair): void {
  for (const [type, { schema }] of Object.entries(old))
    if (now[type] === undefined) pair.changes.breaking.push(`${where}: no ${type} any more`)
    else compare(schema, now[type].schema, where, side, pair)
}

function compare(
  old: Json | undefined,
  now: Json | undefined,
  where: string,
  side: Side,
  pair: Pair,
): void {
  compareSchemas(old ?? {}, now ?? {}, where, { ...pair, side, seen: new Set() })
}

import type { Changes, Description } from './compare.ts'

export type Json = Record<string, unknown>
/** Who writes what a schema describes: callers, or the gateway. */
export type Side = 'request' | 'answer'

interface Rules {
  old: Description
  now: Description
  changes: Changes
  side: Side
  /** Pairs of named schemas that are being compared: they may contain themselves. */
  seen: Set<string>
}

/**
 * Compares what may be sent. A request may become freer and an answer stricter; the other way round
 * breaks programs.
 */
export function compareSchemas(before: Json, after: Json, where: string, rules: Rules): void {
  const pair = `${String(before.$ref)} ${String(after.$ref)}`
  if (before.$ref !== undefined || after.$ref !== undefined) {
    if (rules.seen.has(pair)) return
    rules.seen.add(pair)
  }
  const old = resolve(before, rules.old)
  const now = resolve(after, rules.now)
  compareTypes(old, now, where, rules)
  compareValues(old, now, where, rules)
  if (rules.side === 'request') compareLimits(old, now, where, rules)
  compareFields(old, now, where, rules)
  compareAlternatives(old, now, where, rules)
  for (const key of ['items', 'additionalProperties'])
    if (isSchema(old[key]) && isSchema(now[key]))
      compareSchemas(old[key], now[key], `${where}${key === 'items' ? '[]' : '{}'}`, rules)
}

function resolve(schema: Json, whole: Description): Json {
  if (typeof schema.$ref !== 'string') return schema
  const name = schema.$ref.split('/').at(-1) ?? ''
  return whole.components?.schemas?.[name] ?? {}
}

function isSchema(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function compareTypes(old: Json, now: Json, where: string, { side, changes }: Rules): void {
  const typesOf = ({ type }: Json) => new Set([type].flat().filter((one) => one !== undefined))
  const [before, after] = [typesOf(old), typesOf(now)]
  const [narrow, wide] = side === 'request' ? [before, after] : [after, before]
  // Without a type everything is allowed.
  const isWithin =
    wide.size === 0 || (narrow.size > 0 && [...narrow].every((one) => takes(wide, one)))
  const show = (types: Set<unknown>) => (types.size === 0 ? 'anything' : [...types].join(' or '))
  if (!isWithin) changes.breaking.push(`${where} is ${show(after)} instead of ${show(before)}`)
}

function takes(types: Set<unknown>, type: unknown): boolean {
  return types.has(type) || (type === 'integer' && types.has('number'))
}

function compareValues(old: Json, now: Json, where: string, { side, changes }: Rules): void {
  const valuesOf = (schema: Json) =>
    'const' in schema
      ? [schema.const]
      : ((schema.enum ?? schema['x-extensible-enum']) as unknown[] | undefined)
  const [before, after] = [valuesOf(old), valuesOf(now)]
  const without = (some: unknown[], others: unknown[]) =>
    some.filter((one) => !others.includes(one)).join(', ')
  if (side === 'request') {
    const gone = before === undefined ? '' : after && without(before, after)
    if (before === undefined && after !== undefined)
      changes.breaking.push(`${where} takes only some values now`)
    else if (gone) changes.breaking.push(`${where} no longer takes ${gone}`)
    return
  }
  if (before === undefined) return
  const added = after === undefined ? 'any value' : without(after, before)
  if (added) changes.warnings.push(`${where} can be ${added} now`)
}

const smallest = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const largest = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']

/** The form of an address, which the gateway has asked for since before it was described. */
function isAddressForm(old: Json, now: Json, name: string): boolean {
  const isAddress = now.format === 'email' || (now.format === 'uri' && now.maxLength === 2048)
  return isAddress && old[name] === undefined && (name === 'format' || name === 'maxLength')
}

function compareLimits(old: Json, now: Json, where: string, { changes }: Rules): void {
  const tighten = (name: string, isTighter: (before: number, after: number) => boolean) => {
    if (now[name] === undefined) return
    const before = old[name] === undefined ? 'none' : Number(old[name])
    if (isAddressForm(old, now, name)) changes.warnings.push(`${where} has its ${name} described`)
    else if (old[name] === undefined || isTighter(Number(old[name]), Number(now[name])))
      changes.breaking.push(`${where}: ${name} is ${Number(now[name])} instead of ${before}`)
  }
  for (const name of smallest) tighten(name, (before, after) => after > before)
  for (const name of largest) tighten(name, (before, after) => after < before)
  for (const name of ['pattern', 'format', 'multipleOf', 'uniqueItems'])
    if (isAddressForm(old, now, name)) changes.warnings.push(`${where} has its ${name} described`)
    else if (now[name] !== undefined && now[name] !== old[name])
      changes.breaking.push(`${where} has another ${name}`)
  if (now.additionalProperties === false && old.additionalProperties !== false)
    changes.breaking.push(`${where} takes no other fields any more`)
}

function compareFields(old: Json, now: Json, where: string, rules: Rules): void {
  const { side, changes } = rules
  const fieldsOf = ({ properties = {} }: Json) => properties as Record<string, Json>
  const requiredOf = ({ required = [] }: Json) => new Set(required as string[])
  const [before, after] = [fieldsOf(old), fieldsOf(now)]
  for (const [name, schema] of Object.entries(before))
    if (after[name] === undefined) changes.breaking.push(`${where}: the field ${name} is gone`)
    else compareSchemas(schema, after[name], `${where}.${name}`, rules)
  const [stricter, freer] =
    side === 'request' ? [requiredOf(now), requiredOf(old)] : [requiredOf(old), requiredOf(now)]
  for (const name of stricter)
    if (!freer.has(name) && !(side === 'answer' && after[name] === undefined))
      changes.breaking.push(
        side === 'request'
          ? `${where}: the field ${name} is required now`
          : `${where}: the field ${name} may be missing now`,
      )
}

/** Each form of a request must still be taken, and each form of an answer be one of the old. */
function compareAlternatives(old: Json, now: Json, where: string, rules: Rules): void {
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const [before, after] = [old[key], now[key]] as (Json[] | undefined)[]
    if (before === undefined && after === undefined) continue
    const [some, others] = rules.side === 'request' ? [before, after] : [after, before]
    const isOther = some?.find(
      (one) => !(others ?? []).some((other) => isCompatible(one, other, where, rules)),
    )
    if (isOther !== undefined || before === undefined || after === undefined)
      rules.changes.breaking.push(`${where} has other forms (${key})`)
  }
}

function isCompatible(one: Json, other: Json, where: string, rules: Rules): boolean {
  const changes: Changes = { breaking: [], warnings: [] }
  const [old, now] = rules.side === 'request' ? [one, other] : [other, one]
  compareSchemas(old, now, where, { ...rules, changes, seen: new Set(rules.seen) })
  return changes.breaking.length === 0
}

import type { Type as TypeBox } from 'typebox'

/*
 * Makes JSON Schemas whose values TypeScript knows the types of, with the names and types of
 * TypeBox. Gains a fifth of a second of each start: TypeBox loads 683 files, most of them for types
 * that are computed while the program runs, which none here are. Must never make another schema
 * than TypeBox; `schema.test.ts` compares the two.
 */

type Schema = Record<string, unknown>
type Options = Schema | undefined

/** Schemas of properties that an object may lack. */
const optional = new WeakSet<Schema>()

const ofType = (type: string) => (options?: Options) => ({ type, ...options })

function object(properties: Record<string, Schema>, options?: Options): Schema {
  const required = Object.keys(properties).filter((name) => !optional.has(properties[name] ?? {}))
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties,
    ...options,
  }
}

function makeOptional(schema: Schema): Schema {
  const copy = { ...schema }
  optional.add(copy)
  return copy
}

function partial({ properties }: Schema): Schema {
  const entries = Object.entries(properties as Record<string, Schema>)
  return object(Object.fromEntries(entries.map(([name, one]) => [name, makeOptional(one)])))
}

const builders = {
  String: ofType('string'),
  Integer: ofType('integer'),
  Number: ofType('number'),
  Boolean: ofType('boolean'),
  Null: ofType('null'),
  Unknown: (options?: Options): Schema => ({ ...options }),
  Literal: (value: unknown, options?: Options) => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Enum: (values: unknown[], options?: Options) => ({ enum: values, ...options }),
  Array: (items: Schema, options?: Options) => ({ type: 'array', items, ...options }),
  Union: (anyOf: Schema[], options?: Options) => ({ anyOf, ...options }),
  Record: (_key: Schema, value: Schema, options?: Options) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  Object: object,
  Optional: makeOptional,
  Partial: partial,
  Unsafe: (schema: Schema): Schema => ({ ...schema }),
}

/** The builders of schemas, by the names that TypeBox gives them. */
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>

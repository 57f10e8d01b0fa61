import { Type } from 'typebox'

/** A schema that accepts exactly one of these texts. */
export function OneOf<Value extends string>(
  values: readonly Value[],
  options: { description?: string } = {},
) {
  const literals = values.map((value) => Type.Literal(value))
  return Type.Unsafe<Value>(Type.Union(literals, options))
}

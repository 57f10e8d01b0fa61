import { Type } from 'typebox'

/** A schema that accepts exactly one of these texts. */
export function OneOf<Value extends string>(
  values: readonly Value[],
  options: { description?: string } = {},
) {
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  )
}

import { Type } from 'typebox'

/** A schema that accepts exactly one of these texts. */
export function OneOf<Value extends string>(
  values: readonly Value[],
  options: { title?: string; description?: string } = {},
) {
  return Type.Unsafe<Value>({ type: 'string', enum: values, ...options })
}

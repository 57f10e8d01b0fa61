import { Ajv, type ValidateFunction } from 'ajv'
import { type Static, type TSchema, Type } from 'typebox'

const ajv = new Ajv({ addUsedSchema: false })

/** The schema of a field that may be missing or null. */
export function maybe<Shape extends TSchema>(shape: Shape) {
  return Type.Optional(Type.Union([shape, Type.Null()]))
}

/**
 * Makes a function that parses a JSON text and returns the value when it has this shape, else
 * undefined. Fields that the shape does not name are ignored. The value must not be changed: other
 * readers of the same text get the same object.
 */
export function jsonReader<Shape extends TSchema>(
  shape: Shape,
): (body: string) => Static<Shape> | undefined {
  // Compiled with the first answer: most processes speak with few of the providers.
  let hasShape: ValidateFunction<Static<Shape>> | undefined
  return (body) => {
    const value = parse(body)
    hasShape ??= ajv.compile<Static<Shape>>(shape)
    return hasShape(value) ? value : undefined
  }
}

// A connector tries several readers on one answer, so the last parsed text is cached. With two
// readers that is 3.3 µs of processor time instead of 5.4 (median of 11 alternating rounds).
let last: { body: string; value: unknown } = { body: '', value: undefined }

function parse(body: string): unknown {
  if (last.body !== body) last = { body, value: parseJson(body) }
  return last.value
}

function parseJson(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body)
    // JSON.stringify writes a surrogate pair as a character; escapes remain only for lone halves.
    if (!body.includes('\\u')) return value
    return unstorable.test(body) && unstorable.test(JSON.stringify(value)) ? undefined : value
  } catch {
    return undefined
  }
}

// PostgreSQL stores neither NUL nor a lone surrogate, so no name or reference may contain one.
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i

/**
 * Whole francs, from a number or from text such as "200" or "200.00"; undefined for all else, so a
 * fraction is never rounded.
 */
export function wholeAmount(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^\d{1,15}(\.0{1,4})?$/.test(text)) return undefined
  return Number(text)
}

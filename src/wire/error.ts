import { Type } from 'typebox'
import type { Reason, Refusal } from '../catalog/refusal.ts'
import { fillIn } from '../catalog/refusal.ts'
import type { Language } from '../kit/language.ts'
import { french } from './french.ts'

export const ErrorWire = Type.Object(
  {
    message: Type.Array(Type.String(), {
      description: 'Everything that is wrong, one sentence each',
    }),
    success: Type.Literal(false),
    code: Type.String({ description: 'Stable and machine-readable, e.g. INVALID_API_KEY' }),
    param: Type.Optional(Type.String({ description: 'The field at fault, when it is one alone' })),
    requestId: Type.String({ description: 'Name it when you ask for help' }),
  },
  { title: 'Error' },
)

/** The general error body; `param` is set when one field alone is at fault. */
export function writeError(refusal: Refusal, language: Language, requestId: string) {
  const fields = new Set(refusal.reasons.map((one) => one.field))
  const [param] = fields.size === 1 ? fields : []
  return {
    message: refusal.reasons.map((one) => sentence(one, language)),
    success: false as const,
    code: codeOf(refusal, param),
    ...(param === undefined ? {} : { param }),
    requestId,
  }
}

// An error in one of these fields alone has a code of its own. A Map rather than an object: callers
// choose field names, and one may be `constructor`.
const fieldCodes = new Map([
  ['amount', 'INVALID_AMOUNT'],
  ['ItemPrice', 'INVALID_AMOUNT'],
  ['number', 'INVALID_PHONE'],
])

function codeOf(refusal: Refusal, param: string | undefined): string {
  const own = refusal.kind === 'validation_failed' ? fieldCodes.get(param ?? '') : undefined
  return own ?? refusal.kind.toUpperCase()
}

/** A reason as a sentence in the caller's language; English where no French is known. */
export function sentence(one: Reason, language: Language): string {
  const text = language === 'fr' ? (french[one.text] ?? one.text) : one.text
  return fillIn(text, one.field === undefined ? one.values : { field: one.field, ...one.values })
}

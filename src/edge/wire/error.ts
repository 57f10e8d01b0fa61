import { Type } from 'typebox'
import type { Language } from '#base/kit/language.ts'
import { fillIn, type Reason, type Refusal } from '#base/kit/refusal.ts'
import { type ErrorCode, errorCodes } from './error-codes.ts'
import { inFrench } from './french.ts'
import { withStatesInFrench } from './french-states.ts'
import { OneOf } from './one-of.ts'

export const ErrorCodeWire = OneOf(Object.keys(errorCodes) as ErrorCode[], {
  title: 'Error code',
  description: 'Stable and machine-readable; the list may grow',
})

/** What every error that can be a violation of the schema says about fields. */
export const fieldsAtFault = {
  param: Type.Optional(Type.String({ description: 'The field at fault, when it is one alone' })),
  params: Type.Optional(
    Type.Array(Type.String(), {
      description: 'The field of each message, in the same order; empty: the request as a whole',
    }),
  ),
}

export const ErrorWire = Type.Object(
  {
    message: Type.Array(Type.String(), {
      description: 'Everything that is wrong, one sentence each',
    }),
    success: Type.Literal(false),
    code: ErrorCodeWire,
    ...fieldsAtFault,
    requestId: Type.String({ description: 'Name it when you ask for help' }),
  },
  { title: 'Error answer' },
)

export const NotFoundAnswer = Type.Object(ErrorWire.properties, {
  title: 'Error answer',
  description: 'There is no such record, or the key does not see it',
})

/**
 * The general error body. `param` is set when one field alone is at fault; a validation error also
 * has `params`, the field of each message.
 */
export function writeError(refusal: Refusal, language: Language, requestId: string) {
  const fields = new Set(refusal.reasons.map((one) => one.field))
  const [param] = fields.size === 1 ? fields : []
  return {
    message: refusal.reasons.map((one) => sentence(one, language)),
    success: false as const,
    code: codeOf(refusal, param),
    ...(param === undefined ? {} : { param }),
    ...(refusal.kind === 'validation_failed'
      ? { params: refusal.reasons.map(({ field = '' }) => field) }
      : {}),
    requestId,
  }
}

// An error in one of these fields alone has a code of its own. A Map rather than an object: callers
// choose field names, and one may be `constructor`.
const fieldCodes = new Map<string, ErrorCode>([
  ['amount', 'INVALID_AMOUNT'],
  ['ItemPrice', 'INVALID_AMOUNT'],
  ['number', 'INVALID_PHONE'],
])

function codeOf(refusal: Refusal, param: string | undefined): ErrorCode {
  const own = refusal.kind === 'validation_failed' ? fieldCodes.get(param ?? '') : undefined
  return own ?? kindAsCode(refusal)
}

/** The code of a kind of refusal. */
export function kindAsCode({ kind }: Refusal): ErrorCode {
  return kind.toUpperCase() as Uppercase<typeof kind>
}

/** A reason as a sentence in the caller's language; English where no French is known. */
export function sentence({ text, values, field }: Reason, language: Language): string {
  const named = field === undefined ? values : { field, ...values }
  return language === 'fr' ? fillIn(inFrench(text), withStatesInFrench(named)) : fillIn(text, named)
}

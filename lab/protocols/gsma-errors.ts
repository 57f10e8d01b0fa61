import type { Answer, Body } from '../router.ts'
import type { Reason } from '../script.ts'

// The published codes do not distinguish a refused prompt from an expired one: a parameter does.
const errors: Record<Reason, [code: string, description: string, cause?: string]> = {
  insufficient_funds: ['insufficientFunds', 'The account has not enough funds'],
  refused: ['requestDeclined', 'The payer refused the request', 'payerRejected'],
  expired: ['requestDeclined', 'The payer did not answer in time', 'promptExpired'],
  payee_refused: ['requestDeclined', 'The payee cannot receive this payment', 'payeeRejected'],
  failed: ['genericError', 'The transaction failed'],
}

/** The error object of a declined order. */
export function errorOf(reason: Reason = 'failed'): Body {
  const [code, description, cause] = errors[reason]
  return errorBody('businessRule', code, description, cause && [{ key: 'cause', value: cause }])
}

/** An answer with an error object. */
export function refusal(
  status: number,
  category: string,
  code: string,
  description: string,
): Answer {
  return { status, body: errorBody(category, code, description) }
}

/** The answer to a request with an invalid field, header or parameter. */
export function invalid(field: string): Answer {
  const parameters = [{ key: 'field', value: field }]
  return {
    status: 400,
    body: errorBody('validation', 'formatError', `${field} is not valid`, parameters),
  }
}

/** The answer at an address that leads to nothing. */
export function notFound(description = 'Not found'): Answer {
  return refusal(404, 'identification', 'identifierError', description)
}

/** The answer to a second request with the same correlation id. */
export function alreadyProcessed(): Answer {
  return refusal(400, 'businessRule', 'duplicateRequest', 'Already processed')
}

/** The answer to what the state of a resource does not allow. */
export function wrongState(description: string): Answer {
  return refusal(400, 'businessRule', 'incorrectState', description)
}

function errorBody(
  category: string,
  code: string,
  description: string,
  parameters?: unknown,
): Body {
  return {
    errorCategory: category,
    errorCode: code,
    errorDescription: description,
    // The published schema writes it without the capital.
    errordescription: description,
    errorDateTime: new Date().toISOString(),
    ...(parameters !== undefined && parameters !== '' && { errorParameters: parameters }),
  }
}

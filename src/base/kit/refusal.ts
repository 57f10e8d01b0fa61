/**
 * Every reason to refuse a request. Kinds are stable: in capitals they are the `code` that callers
 * see. `http/errors.ts` maps each to its HTTP status.
 */
export type RefusalKind =
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'rate_limited'
  | 'under_maintenance'
  | 'address_not_allowed'
  // Not sent any more: what versions before answered to a key that may only read.
  | 'right_missing'
  | 'merchant_not_active'
  | 'validation_failed'
  | 'invalid_amount'
  | 'invalid_phone'
  | 'malformed_request'
  | 'request_timeout'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'headers_too_large'
  | 'method_not_allowed'
  | 'service_not_enabled'
  | 'service_unavailable'
  | 'insufficient_funds'
  | 'daily_limit_reached'
  | 'too_many_attempts'
  | 'number_blocked'
  | 'duplicate_transaction'
  | 'otp_invalid'
  | 'otp_expired'
  | 'refund_not_allowed'
  | 'bill_not_found'
  | 'bill_already_paid'
  | 'bill_refused'
  | 'idempotency_key_reused'
  | 'request_in_progress'
  | 'not_found'
  | 'wrong_cell'
  | 'conflict'
  | 'overloaded'

/** One sentence of a refusal: a text with `{name}` placeholders, and the field it is about. */
export interface Reason {
  text: string
  values: Record<string, string | number>
  field?: string
}

/** Makes a reason; `text` is also the key of its translations. */
export function reason(text: string, values: Reason['values'] = {}, field?: string): Reason {
  return field === undefined ? { text, values } : { text, values, field }
}

/** Thrown to refuse a request. Anything else that is thrown is a bug. */
export class Refusal extends Error {
  readonly kind: RefusalKind
  readonly reasons: Reason[]

  constructor(kind: RefusalKind, ...reasons: (Reason | string)[]) {
    const all = reasons.map((one) => (typeof one === 'string' ? reason(one) : one))
    super(all.map((one) => fillIn(one.text, one.values)).join('; '))
    this.name = 'Refusal'
    this.kind = kind
    this.reasons = all
  }
}

/** The text with its `{name}` placeholders replaced by their values. */
export function fillIn(text: string, values: Reason['values']): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
    String(values[name] ?? placeholder),
  )
}

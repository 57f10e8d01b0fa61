/**
 * Every expected "no". The kind is stable and machine-readable (in capitals it is the `code` that
 * callers see); the door in front of the domain turns it into a status with one exhaustive table.
 */
export type RefusalKind =
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'rate_limited'
  | 'under_maintenance'
  | 'address_not_allowed'
  | 'read_only_key'
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
  | 'conflict'
  | 'overloaded'

/** One sentence of a refusal: a text with `{name}` places, their values, and the field at fault. */
export interface Reason {
  text: string
  values: Record<string, string | number>
  field?: string
}

/** Makes a reason; `text` is the key under which translations are kept. */
export function reason(text: string, values: Reason['values'] = {}, field?: string): Reason {
  return field === undefined ? { text, values } : { text, values, field }
}

/** Thrown for "no, and nothing else to do". Anything else that is thrown is a bug. */
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

/** The text with its `{name}` places filled. */
export function fillIn(text: string, values: Reason['values']): string {
  return text.replaceAll(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place))
}

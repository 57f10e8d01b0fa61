import type { ErrorCode } from './interface.ts'
import type { Link, Payment } from './records.ts'

/** Every error of this package that is not about a wrong argument, which is a TypeError. */
export class PasserelleError extends Error {
  override name = 'PasserelleError'
}

/** What a refusal says, as the gateway wrote it. */
export interface Refusal {
  status: number
  code: ErrorCode | 'UNKNOWN'
  messages: string[]
  params: string[]
  requestId: string
  retryAfterS: number | undefined
}

/** The gateway refused: `code` says why, and nothing has changed. */
export class ApiError extends PasserelleError implements Refusal {
  override name = 'ApiError'
  readonly status: number
  /** Stable; `UNKNOWN` when something in front of the gateway answered. The list may grow. */
  readonly code: ErrorCode | 'UNKNOWN'
  /** Everything that is wrong, one sentence each. */
  readonly messages: string[]
  /** The fields at fault. */
  readonly params: string[]
  /** Name it when you ask for help. */
  readonly requestId: string
  /** The seconds to wait before the next try, if the gateway named them. */
  readonly retryAfterS: number | undefined

  constructor({ status, code, messages, params, requestId, retryAfterS }: Refusal) {
    super(`${status} ${code}: ${messages.join('; ')}${requestId && ` (${requestId})`}`)
    this.status = status
    this.code = code
    this.messages = messages
    this.params = params
    this.requestId = requestId
    this.retryAfterS = retryAfterS
  }
}

/** 409: the externalTransactionId is used. */
export class DuplicateError extends ApiError {
  override name = 'DuplicateError'
  /** What it was used for; undefined when another key made it. */
  readonly record: Payment | Link | undefined

  constructor(refusal: Refusal, record: Payment | Link | undefined) {
    super(refusal)
    this.record = record
  }
}

/** The order may have been recorded, and nobody could say: look it up by this id. */
export class OutcomeUnknownError extends PasserelleError {
  override name = 'OutcomeUnknownError'
  readonly externalTransactionId: string

  constructor(externalTransactionId: string, cause: unknown) {
    super(`The outcome is not known: look "${externalTransactionId}" up before anything else`, {
      cause,
    })
    this.externalTransactionId = externalTransactionId
  }
}

/** Nothing came back, or nothing that can be read; no order was under way. */
export class ConnectionError extends PasserelleError {
  override name = 'ConnectionError'
}

/** The time limit of a wait is over, and the payment has not ended. */
export class NotFinalError extends PasserelleError {
  override name = 'NotFinalError'
  /** As it was last seen; undefined when it never was. */
  readonly payment: Payment | undefined

  constructor(payment: Payment | undefined) {
    super(`Not final within the time limit: ${payment?.status ?? 'it could not be looked up'}`)
    this.payment = payment
  }
}

export type WebhookProblem =
  | 'missing_header'
  | 'malformed'
  | 'wrong_signature'
  | 'too_old'
  | 'too_new'

/** A webhook that must not be believed. */
export class WebhookError extends PasserelleError {
  override name = 'WebhookError'
  readonly reason: WebhookProblem

  constructor(reason: WebhookProblem, text: string) {
    super(text)
    this.reason = reason
  }
}

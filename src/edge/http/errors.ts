import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, type RefusalKind, reason } from '#base/kit/refusal.ts'
import type { Log } from '#base/log/log.ts'
import { CommitUnknown } from '#data/db/errors.ts'
import { isTemporary } from '#data/db/unreachable.ts'
import { writeError } from '#edge/wire/error.ts'
import type { ErrorCode } from '#edge/wire/error-codes.ts'
import { bodyBytesMax } from './body.ts'
import { languageOf } from './language.ts'
import { queueFullAsRefusal } from './overload.ts'
import { describeViolations } from './violations.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Refused because too many requests were in progress; counted by metrics. */
    isTurnedAway: boolean
  }
}

/** The HTTP status of every kind of refusal. */
export const statusOf: Record<RefusalKind, number> = {
  missing_api_key: 401,
  invalid_api_key: 401,
  rate_limited: 429,
  under_maintenance: 403,
  address_not_allowed: 403,
  right_missing: 403,
  merchant_not_active: 403,
  validation_failed: 400,
  invalid_amount: 400,
  invalid_phone: 400,
  malformed_request: 400,
  service_not_enabled: 400,
  insufficient_funds: 400,
  daily_limit_reached: 400,
  too_many_attempts: 400,
  number_blocked: 400,
  otp_invalid: 400,
  otp_expired: 400,
  refund_not_allowed: 400,
  bill_not_found: 400,
  bill_already_paid: 400,
  bill_refused: 400,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  duplicate_transaction: 409,
  conflict: 409,
  request_in_progress: 409,
  wrong_cell: 421,
  idempotency_key_reused: 422,
  body_too_large: 413,
  unsupported_media_type: 415,
  headers_too_large: 431,
  service_unavailable: 503,
  overloaded: 503,
}

/** Answers every error with the general body. What is no refusal is a bug: logged, and 500. */
export function answerError(problem: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalFor(problem)
  const language = languageOf(request)
  if (refusal === undefined) {
    request.log.error({ err: problem, requestId: request.id }, 'internal error')
    const bug = new Refusal('service_unavailable', 'Something went wrong on our side')
    const body = writeError(bug, language, request.id)
    void reply.code(500).send({ ...body, code: 'INTERNAL_ERROR' satisfies ErrorCode })
    return
  }
  const status = statusOf[refusal.kind]
  request.isTurnedAway = refusal.kind === 'overloaded'
  // Beyond a few of these the claim of a process that died has ended.
  if (refusal.kind === 'request_in_progress') reply.header('Retry-After', 2)
  if (status === 401) reply.header('WWW-Authenticate', 'Bearer')
  if (status === 503) {
    if (!request.isTurnedAway)
      request.log.warn({ err: problem, requestId: request.id }, 'a request was refused for now')
    reply.header('Retry-After', 1)
  }
  void reply.code(status).send(writeError(refusal, language, request.id))
}

/** The refusal that a thrown value stands for; undefined: a bug. */
function refusalFor(thrown: unknown): Refusal | undefined {
  const problem = queueFullAsRefusal(thrown)
  if (problem instanceof Refusal) return problem
  if (!(problem instanceof Error)) return undefined
  const { validation, statusCode = 500, code = '' } = problem as Partial<FastifyError>
  if (problem instanceof CommitUnknown)
    return new Refusal(
      'service_unavailable',
      'It is not known whether this took effect: look it up, or send it again under the same id',
    )
  if (statusCode === 500 && isTemporary(problem))
    return new Refusal(
      'service_unavailable',
      'The service cannot answer right now, please try again shortly',
    )
  if (validation) return new Refusal('validation_failed', ...describeViolations(validation))
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Refusal(
      'unsupported_media_type',
      'The body must be JSON (Content-Type: application/json)',
    )
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Refusal(
      'body_too_large',
      reason('The body is larger than {bytes} bytes', { bytes: bodyBytesMax }),
    )
  // Fastify's own 4xx errors, or a connection closed in the middle of a body. Any other error with
  // a statusCode is a bug.
  if (statusCode >= 400 && statusCode < 500 && /^(FST_|ECONNRESET$)/.test(code))
    return new Refusal('malformed_request', 'The request could not be understood')
  return undefined
}

/** Answers malformed HTTP on the socket, since there is no request object; the body is the same. */
export function answerBrokenRequest(log: Log) {
  return (problem: Error & { code?: string }, socket: Socket): void => {
    if (problem.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
      socket.destroy()
      return
    }
    const refusal = brokenRequest(problem.code)
    const status = statusOf[refusal.kind]
    log.debug({ code: problem.code }, 'a broken request')
    const body = JSON.stringify(writeError(refusal, 'en', 'none'))
    socket.end(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    )
  }
}

function brokenRequest(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Refusal('headers_too_large', 'The headers are too large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Refusal('request_timeout', 'The request took too long to arrive')
  return new Refusal('malformed_request', 'The request could not be understood')
}

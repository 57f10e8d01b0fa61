import type { Mode } from '#base/config/config.ts'
import { monotonicMs } from '#base/kit/clock.ts'
import { ForbiddenAddress, parseAllowedUrl } from '#base/net/guard.ts'
import type { OriginPools } from '#base/net/pool.ts'
import { DeadlineExceeded, sendRequest } from '#base/net/request.ts'
import { MalformedResponse } from '#base/net/response-parser.ts'
import { NotTried } from '#base/net/shares.ts'
import { toStorable } from '#data/db/storable-text.ts'
import { redactCodes } from './body-safe.ts'

/** The result of one try. */
export interface SendResult {
  /** False: no connection was free, and nothing is known of the receiver. */
  isTried: boolean
  /** Null: no answer, or none that is HTTP. */
  status: number | null
  durationMs: number
  problem: string | null
  /** The first bytes of the answer. */
  excerpt: string
  retryAfter: string | undefined
}

interface WebhookRequest {
  pools: OriginPools
  /** Whose connections it uses. */
  owner: string
  mode: Mode
  url: string
  headers: Record<string, string>
  body: string
}

// From the connection to the last byte: a receiver that sends byte by byte is cut off like one that
// hangs.
const deadlineMs = 10_000
// Seldom needed: a client has as many connections to an origin as deliveries under way. Longer than
// a connection takes to open.
const waitMs = 5000
/** The longest that sending one webhook takes. */
export const sendMsMax = waitMs + deadlineMs
const readBytesMax = 65_536
const excerptLength = 500

/** Sends one webhook. It ends within `sendMsMax` whatever the receiver does, and never throws. */
export async function sendWebhook(order: WebhookRequest): Promise<SendResult> {
  const { pools, owner, mode, url, headers, body } = order
  const startedMs = monotonicMs()
  const resultOf = (part: Partial<SendResult>): SendResult => ({
    isTried: true,
    status: null,
    problem: null,
    excerpt: '',
    retryAfter: undefined,
    ...part,
    durationMs: Math.round(monotonicMs() - startedMs),
  })
  try {
    const { origin, pathname, search } = parseAllowedUrl(url, mode)
    const result = await sendRequest(pools.poolOf(origin, owner), {
      method: 'POST',
      path: pathname + search,
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Passerelle' },
      body,
      deadlineMs,
      waitMs,
      bodyBytesMax: readBytesMax,
      whenTooLong: 'truncate',
    })
    const { status } = result
    const retryAfter = result.headers['retry-after']
    if (result.kind === 'answered') {
      const excerpt = redactCodes(result.body, body).slice(0, excerptLength)
      return resultOf({ status, retryAfter, excerpt: toStorable(excerpt) })
    }
    if (result.problem instanceof NotTried)
      return resultOf({ isTried: false, problem: result.problem.message })
    // Its status is not believed either: something on the way may have mixed two answers up.
    if (result.problem instanceof MalformedResponse)
      return resultOf({ problem: describe(result.problem) })
    // A 2xx status counts as delivered even if the body did not end in time.
    if (status !== null && status >= 200 && status < 300) return resultOf({ status })
    return resultOf({ status, retryAfter, problem: describe(result.problem) })
  } catch (problem) {
    return resultOf({ problem: describe(problem) })
  }
}

function describe(problem: unknown): string {
  if (problem instanceof ForbiddenAddress) return problem.message
  const { code, message, cause } = problem as Error & { code?: string; cause?: unknown }
  if (cause instanceof ForbiddenAddress) return cause.message
  if (problem instanceof DeadlineExceeded) return 'no whole answer within 10 s'
  return toStorable((code ?? message ?? 'no answer').slice(0, 200))
}

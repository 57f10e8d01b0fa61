import type { Dispatcher } from 'undici'
import { request } from 'undici'
import { monotonicMs } from '../kit/clock.ts'
import type { Mode } from '../kit/config.ts'
import { withoutCodes } from './body-safe.ts'
import { checkLiteral, ForbiddenAddress } from './guard.ts'

/** What came of one try. */
export interface Sent {
  /** Null: no answer. */
  status: number | null
  durationMs: number
  problem: string | null
  /** The first bytes of the answer. */
  excerpt: string
  retryAfter: string | undefined
}

interface Sending {
  agent: Dispatcher
  mode: Mode
  url: string
  headers: Record<string, string>
  body: string
}

// For everything together, by the wall clock: a receiver that drips is cut off like one that hangs.
const deadlineMs = 10_000
const readBytesMax = 65_536
const excerptLength = 500

/** Sends one webhook. Whatever the receiver does, it ends soon, and it never throws. */
export async function sendWebhook(sending: Sending): Promise<Sent> {
  const startedMs = monotonicMs()
  const end = (part: Partial<Sent>): Sent => ({
    status: null,
    problem: null,
    excerpt: '',
    retryAfter: undefined,
    ...part,
    durationMs: Math.round(monotonicMs() - startedMs),
  })
  let status: number | null = null
  let retryAfter: string | undefined
  try {
    checkLiteral(sending.url, sending.mode)
    const answer = await request(sending.url, {
      method: 'POST',
      headers: {
        ...sending.headers,
        'content-type': 'application/json',
        'user-agent': 'Passerelle',
      },
      body: sending.body,
      dispatcher: sending.agent,
      signal: AbortSignal.timeout(deadlineMs),
    })
    status = answer.statusCode
    retryAfter = [answer.headers['retry-after']].flat()[0]
    const said = withoutCodes(await readStart(answer.body), sending.body)
    return end({ status, retryAfter, excerpt: storable(said.slice(0, excerptLength)) })
  } catch (problem) {
    // A body that did not end in time takes nothing back: the status had been said.
    if (status !== null && status >= 200 && status < 300) return end({ status })
    return end({ status, retryAfter, problem: describe(problem) })
  }
}

async function readStart(body: AsyncIterable<Buffer> & { destroy(): void }): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    parts.push(part)
    bytes += part.length
    if (bytes >= readBytesMax) break
  }
  body.destroy()
  return Buffer.concat(parts).toString('utf8')
}

/** Text that the database takes: it knows neither NUL nor a letter that was cut in two. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}

function describe(problem: unknown): string {
  if (problem instanceof ForbiddenAddress) return problem.message
  const { name, code, message, cause } = problem as Error & { code?: string; cause?: unknown }
  if (cause instanceof ForbiddenAddress) return cause.message
  if (name === 'TimeoutError' || name === 'AbortError') return 'no whole answer within 10 s'
  return storable((code ?? message ?? 'no answer').slice(0, 200))
}

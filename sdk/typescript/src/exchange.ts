import { ApiError, ConnectionError } from './errors.ts'
import type { ErrorAnswer as ErrorBody } from './interface.ts'

/** One request. */
export interface Request {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  query?: object | undefined
  body?: object
  headers?: Record<string, string>
}

/** What became of one request: the gateway said yes or no, or its answer was lost. */
export type Outcome =
  | { kind: 'success'; body: unknown }
  | { kind: 'refused'; error: ApiError; body: unknown }
  | { kind: 'lost'; error: ApiError | ConnectionError }

/** Sends one request, once. */
export type Exchange = (request: Request, signal?: AbortSignal) => Promise<Outcome>

/** How often to try, and the way to the gateway. */
export interface Line {
  exchange: Exchange
  tries: number
}

interface Connection {
  apiKey: string
  baseUrl: string
  timeoutMs: number
  language: string | undefined
  fetch: typeof globalThis.fetch
}

/** Opens a stream of server-sent events, or answers what came instead. */
export type OpenStream = (after: string | undefined, signal: AbortSignal) => Promise<Response>

/** The two ways to the gateway. The key stays in here. */
export function connect({ apiKey, baseUrl, timeoutMs, language, fetch }: Connection): {
  exchange: Exchange
  openStream: OpenStream
} {
  // Deno sends a request again by itself when a connection that it used before breaks, an order
  // too, without a lookup; Bun does so with reads. On a new connection neither does.
  const isRepeating = 'Deno' in globalThis || 'Bun' in globalThis

  function prepare({ method, path, query, body, headers }: Request): [string, RequestInit] {
    const address = `${baseUrl}/api/v1${path}${queryOf(query)}`
    const init = {
      method,
      // A redirect could lead the order, and the key, elsewhere.
      redirect: 'manual' as const,
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        ...(isRepeating ? { connection: 'close' } : {}),
        ...(language === undefined ? {} : { 'accept-language': language }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    return [address, init]
  }

  return {
    async exchange(request, signal) {
      signal?.throwIfAborted()
      const [address, init] = prepare(request)
      const limit = AbortSignal.timeout(timeoutMs)
      const both = signal === undefined ? limit : AbortSignal.any([limit, signal])
      try {
        const response = await fetch(address, { ...init, signal: both })
        return judge(response, await response.text())
      } catch (cause) {
        const what = limit.aborted ? `No answer within ${timeoutMs} ms` : 'The connection failed'
        return { kind: 'lost', error: new ConnectionError(what, { cause }) }
      }
    },
    openStream(after, signal) {
      const headers = { accept: 'text/event-stream' }
      const request = { method: 'GET', path: '/events/stream', query: { after }, headers } as const
      const [address, init] = prepare(request)
      return fetch(address, { ...init, signal })
    },
  }
}

/** An identifier as one part of an address. */
export function part(id: string): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id))
    throw new TypeError('An identifier must be a string')
  return encodeURIComponent(id)
}

/** The query of an address, without what is not given. */
function queryOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const texts = given.map(([name, value]): [string, string] => [name, String(value)])
  return texts.length === 0 ? '' : `?${new URLSearchParams(texts).toString()}`
}

/** An answer that is no clear yes and no clear no counts as lost. */
export function judge(response: Response, text: string): Outcome {
  const { status } = response
  const body = readJson(text)
  if (status >= 200 && status < 300)
    return body === undefined
      ? { kind: 'lost', error: new ConnectionError(`${status} with a body that cannot be read`) }
      : { kind: 'success', body }
  const error = errorOf(response, body)
  return status >= 400 && status < 500 && status !== 408
    ? { kind: 'refused', error, body }
    : { kind: 'lost', error }
}

export type Picked<Item> = Exclude<Outcome, { kind: 'success' }> | { kind: 'success'; item: Item }

/** An outcome with what is wanted of its body; a success that lacks it counts as lost. */
export function pickFrom<Item>(
  outcome: Outcome,
  pick: (body: never) => Item | undefined,
): Picked<Item> {
  if (outcome.kind !== 'success') return outcome
  let item: Item | undefined
  try {
    item = pick(outcome.body as never)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  return item === undefined
    ? { kind: 'lost', error: new ConnectionError('A success that lacks what it should say') }
    : { kind: 'success', item }
}

function errorOf({ status, headers }: Response, body: unknown): ApiError {
  const { message, code, param, params, requestId } = (body ?? {}) as Partial<ErrorBody>
  return new ApiError({
    status,
    code: code ?? 'UNKNOWN',
    messages: [message ?? 'Not answered by the gateway'].flat(),
    params: params ?? (param === undefined ? [] : [param]),
    requestId: requestId ?? headers.get('x-request-id') ?? '',
    retryAfterS: retryAfterOf(headers),
  })
}

/** `Retry-After` in seconds; a date counts from the answer's: clocks of shops may be wrong. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Number(text)
  const answeredMs = timeOf(headers.get('date')) || Date.now()
  const seconds = Math.ceil((timeOf(text) - answeredMs) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** The time of an HTTP date; NaN for anything else. */
function timeOf(text: string | null): number {
  return text?.endsWith(' GMT') ? Date.parse(text) : Number.NaN
}

/** The object that a text is; undefined when it is none. */
function readJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

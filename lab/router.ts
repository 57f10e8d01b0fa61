import type { IncomingHttpHeaders } from 'node:http'

/** A JSON object whose fields are not checked yet. */
export type Body = Record<string, unknown>

/** Where a protocol is mounted: one provider in one country. */
export interface Mount {
  connector: string
  provider: string
  country: string
  currency: string
  path: string
}

/** A request, as handlers get it. */
export interface Call {
  mount: Mount
  params: string[]
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: Body
}

/** An HTTP answer. */
export interface Answer {
  status: number
  /** Sent as JSON; without it, and without `html`, the answer is empty. */
  body?: unknown
  html?: string
  headers?: Record<string, string>
}

/** Answers a request, at once or later. */
export type Handler = (call: Call) => Answer | Promise<Answer>

/** The routes of one protocol, written as `'GET /path/:param'`. */
export type Routes = Record<string, Handler>

/** A protocol, as the server needs it. */
export interface Protocol {
  routes: Routes
  /** The answer to a body that is not a JSON object. */
  malformed: () => Answer
  /** The answer at an address that the protocol does not have. */
  unknownPath: () => Answer
}

/** Instead of an answer the server closes the socket. */
export const closedSocket: Answer = { status: 0 }

/** An error as a proxy in front of a provider would write it: HTML, not the protocol's JSON. */
export function htmlError(status: number): Answer {
  return { status, html: `<html><body><h1>${status}</h1><p>Please try again.</p></body></html>` }
}

/** Finds the handler of a method and path in a table of routes. */
export type Router = (
  method: string,
  segments: string[],
) => { handler: Handler; params: string[] } | undefined

/** Indexes routes by method and number of path segments; of several matches the first counts. */
export function routerOf(routes: Routes): Router {
  const byShape = new Map<string, { pattern: string[]; params: number[]; handler: Handler }[]>()
  for (const [route, handler] of Object.entries(routes)) {
    const [method = '', path = ''] = route.split(' ')
    const pattern = path.split('/').slice(1)
    const shape = `${method} ${pattern.length}`
    const params = pattern.flatMap((part, index) => (part.startsWith(':') ? [index] : []))
    byShape.set(shape, [...(byShape.get(shape) ?? []), { pattern, params, handler }])
  }
  return (method, segments) => {
    const match = byShape
      .get(`${method} ${segments.length}`)
      ?.find(({ pattern }) =>
        pattern.every((part, index) => part.startsWith(':') || part === segments[index]),
      )
    if (match === undefined) return undefined
    const params = match.params.map((index) => segments[index] ?? '')
    return { handler: match.handler, params }
  }
}

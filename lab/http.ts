import type { IncomingHttpHeaders } from 'node:http'

/** A JSON object, nothing known of its fields yet. */
export type Body = Record<string, unknown>

/** Where a protocol is mounted: one provider in one country. */
export interface Mount {
  connector: string
  provider: string
  country: string
  currency: string
  path: string
}

/** A request, as the handlers see it. */
export interface Call {
  mount: Mount
  params: string[]
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: Body
}

/** What is written back. */
export interface Answer {
  status: number
  /** Sent as JSON; without it, and without `html`, the answer is empty. */
  body?: unknown
  html?: string
  headers?: Record<string, string>
}

/** Answers a call, at once or later. */
export type Handler = (call: Call) => Answer | Promise<Answer>

/** The routes of one protocol, written as `'GET /path/:param'`. */
export type Routes = Record<string, Handler>

/** All that the server needs to know of a protocol. */
export interface Protocol {
  routes: Routes
  /** What it answers to a body that is not a JSON object. */
  malformed: Answer
}

/** Instead of an answer: the socket is closed. */
export const lost: Answer = { status: 0 }

/** An error as a proxy in front of a provider would write it: HTML, and none of our words. */
export function htmlError(status: number): Answer {
  return { status, html: `<html><body><h1>${status}</h1><p>Please try again.</p></body></html>` }
}

/** Finds the handler of a method and path in a table of routes. */
export type Router = (
  method: string,
  segments: string[],
) => { handler: Handler; params: string[] } | undefined

/** Prepares a table of routes for quick look-up; the first that fits wins. */
export function routerOf(routes: Routes): Router {
  const byShape = new Map<string, { pattern: string[]; places: number[]; handler: Handler }[]>()
  for (const [route, handler] of Object.entries(routes)) {
    const [method = '', path = ''] = route.split(' ')
    const pattern = path.split('/').slice(1)
    const shape = `${method} ${pattern.length}`
    const places = pattern.flatMap((part, index) => (part.startsWith(':') ? [index] : []))
    byShape.set(shape, [...(byShape.get(shape) ?? []), { pattern, places, handler }])
  }
  return (method, segments) => {
    const fits = byShape
      .get(`${method} ${segments.length}`)
      ?.find(({ pattern }) =>
        pattern.every((part, index) => part.startsWith(':') || part === segments[index]),
      )
    if (fits === undefined) return undefined
    const params = fits.places.map((place) => segments[place] ?? '')
    return { handler: fits.handler, params }
  }
}

/** The text of a field, or an empty one. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The text of a header, or an empty one. */
export function header(call: Call, name: string): string {
  return text(call.headers[name])
}

/** The object of a field, or an empty one. */
export function object(value: unknown): Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {}
}

/** Whole francs from `"200"` or `"200.00"`; undefined for anything else. */
export function amountOfText(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^[1-9][0-9]{0,11}(\.0{1,4})?$/.test(value)) return undefined
  return Number(value)
}

/** Whole francs from a number, or from text; undefined for anything else. */
export function amountOf(value: unknown): number | undefined {
  return amountOfText(typeof value === 'number' ? String(value) : value)
}

/** The nine digits that choose a scenario: the last ones, whatever stands before them. */
export function lastNine(number: string): string {
  return number.replaceAll(/\D/g, '').slice(-9)
}

/** Whether a text is a phone number, with or without its country. */
export function isPhone(number: string): boolean {
  return /^\+?[0-9]{9,15}$/.test(number)
}

/** Whether something can be called back: absolute, http or https. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}

const lifetimeMs = 3_600_000

/** A bearer token that `hasToken` accepts for an hour, even after the lab was started anew. */
export function issueToken(connector: string): string {
  return `lab.${connector}.${Date.now() + lifetimeMs}`
}

/** Whether the call carries a token of ours that has not run out. */
export function hasToken(call: Call): boolean {
  const [, connector, expiresAt] =
    /^Bearer lab\.([\w-]+)\.(\d+)$/.exec(header(call, 'authorization')) ?? []
  return connector === call.mount.connector && Number(expiresAt) > Date.now()
}

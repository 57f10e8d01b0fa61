import { Refusal, reason } from '#base/kit/refusal.ts'
import type { Http } from './http.ts'

/** Answers 404 for an unknown path, and 405 for a known path with another method. */
export function addNotFoundHandler(http: Http): void {
  // Else one without a content type is answered 400, at any address.
  http.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true })
  const known: { pattern: RegExp; methods: string[] }[] = []
  http.addHook('onRoute', ({ url, method }) => {
    known.push({ pattern: patternOf(url), methods: [method].flat() })
  })
  http.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const allowed = new Set(
      known.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods),
    )
    const { method } = request
    if (allowed.size === 0)
      throw new Refusal(
        'not_found',
        reason('There is nothing at {method} {path}', { method, path }),
      )
    const list = [...allowed].sort().join(', ')
    reply.header('Allow', list)
    throw new Refusal(
      'method_not_allowed',
      reason('{method} is not allowed here, only {allowed}', { method, allowed: list }),
    )
  })
}

/** A pattern that matches every path of a route, with or without a slash at the end. */
function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll(/:[A-Za-z]+/g, '[^/]+').replace('*', '.*')}/?$`)
}

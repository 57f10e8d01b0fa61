const prefix = '/api/v1/'

/**
 * The full path of a request. The API also answers at /v1/… and without any prefix: short paths are
 * rewritten before routing, so that every route is registered once. `firstSegments` are the path
 * segments that follow /api/v1/ in the registered routes.
 */
export function fullPath(url: string, firstSegments: ReadonlySet<string>): string {
  const [, first = '', second = ''] = /^\/([^/?]*)\/?([^/?]*)/.exec(url) ?? []
  if (first === 'v1' && firstSegments.has(second)) return `/api${url}`
  if (firstSegments.has(first)) return prefix + url.slice(1)
  return url
}

/** The path segment after /api/v1/ of a route; undefined for routes elsewhere. */
export function firstSegmentOf(routeUrl: string): string | undefined {
  return routeUrl.startsWith(prefix) ? routeUrl.slice(prefix.length).split('/')[0] : undefined
}

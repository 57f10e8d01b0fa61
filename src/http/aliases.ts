const prefix = '/api/v1/'

/**
 * The same interface also answers at /v1/… and without any prefix. Shorter addresses are turned
 * into the full one before routing, so that every route exists once. `firstSegments` are the words
 * that follow /api/v1/ in the full addresses.
 */
export function fullPath(url: string, firstSegments: ReadonlySet<string>): string {
  const [, first = '', second = ''] = /^\/([^/?]*)\/?([^/?]*)/.exec(url) ?? []
  if (first === 'v1' && firstSegments.has(second)) return `/api${url}`
  if (firstSegments.has(first)) return prefix + url.slice(1)
  return url
}

/** The word after /api/v1/ of a route, or undefined for routes elsewhere. */
export function firstSegmentOf(routeUrl: string): string | undefined {
  return routeUrl.startsWith(prefix) ? routeUrl.slice(prefix.length).split('/')[0] : undefined
}

import { routeOf } from '#test/screenshots/routes.ts'

/** The addresses that are known of a route, with the parameters that their links carry. */
export type Addresses = Map<string, string[]>

// Of each route: its files in every form, its lists by some filters.
const variantsMax = 6
const readMax = 2
const someId = '01a1e64a-d0e3-7848-849a-1a011969ef64'
const known: Record<string, string> = {
  ':connector': 'checkout-session',
  ':clientId': '1',
  ':guide': 'webhooks',
}

/** Follows links and forms from some pages on; `read` returns undefined for what is no page. */
export async function findLinked(
  read: (address: string) => Promise<string | undefined>,
  starts: string[],
  paths: string[],
): Promise<Addresses> {
  const found: Addresses = new Map()
  const waiting = [...new Set(starts)]
  const seen = new Set<string>()
  const reads = new Map<string, number>()
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const path = routeOf(paths, address)
    if (seen.has(address) || path === undefined || path.includes('*')) continue
    seen.add(address)
    const variants = found.get(path) ?? []
    if (variants.length >= variantsMax) continue
    found.set(path, [...variants, address])
    const times = reads.get(path) ?? 0
    if (times >= readMax) continue
    reads.set(path, times + 1)
    const text = await read(address)
    if (text !== undefined) waiting.push(...linksIn(text))
  }
  return found
}

function linksIn(text: string): string[] {
  return [...text.matchAll(/ (?:href|src|action)="(\/[^"#]*)/g)].map(([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  )
}

/**
 * The addresses of a route: those that are known, else one with the ids of the longest address
 * known that it goes on from.
 */
export function addressesOf(path: string, found: Addresses, id = someId): string[] {
  const own = found.get(path)
  if (own !== undefined) return own
  const [base] = [...found.keys()]
    .filter((one) => one.includes(':') && path.startsWith(`${one}/`))
    .toSorted((one, other) => other.length - one.length)
  const [begun = ''] = (base === undefined ? '' : (found.get(base)?.[0] ?? '')).split('?')
  const rest = path.slice(base?.length ?? 0).replace('*', '/x')
  return [begun + rest.replaceAll(/:\w+/g, (name) => known[name] ?? id)]
}

/** An address with further parameters: those that it has already stay, unless all are replaced. */
export function withQuery(address: string, query: string, isReplaced: boolean): string {
  if (query === '') return address
  const [path = '', linked = ''] = address.split('?')
  if (linked === '' || isReplaced) return `${path}?${query}`
  const taken = new Set(linked.split('&').map((one) => one.split('=')[0]))
  const more = query.split('&').filter((one) => !taken.has(one.split('=')[0]))
  return `${path}?${[linked, ...more].join('&')}`
}

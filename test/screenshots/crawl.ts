import type { SignedIn } from '../dashboard.ts'
import { routeOf } from './routes.ts'

/**
 * An address for each route that a person gets to by links, from some pages on: the plainest one
 * that is found, and for a route with an id that of the first row. `onPage` gets each page.
 */
export async function findAddresses(
  person: SignedIn,
  starts: string[],
  routes: string[],
  onPage: (text: string) => void = () => {},
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const waiting = [...starts]
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const route = routeOf(routes, address)
    const before = route === undefined ? undefined : found.get(route)
    if (route === undefined || (before !== undefined && !isPlainer(address, before))) continue
    const { status, text } = await person.get(address)
    if (status !== 200) continue
    found.set(route, address)
    onPage(text)
    waiting.push(...linksIn(text))
  }
  return found
}

function isPlainer(address: string, before: string): boolean {
  return before.includes('?') && !address.includes('?')
}

function linksIn(text: string): string[] {
  const links = [...text.matchAll(/href="(\/dashboard[^"#]*)/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )
  // Those without parameters first: fewer pages are read.
  return links.toSorted((one, other) => Number(one.includes('?')) - Number(other.includes('?')))
}

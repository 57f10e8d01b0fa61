import type { DashboardContext } from '../../src/dashboard/context.ts'
import type { Pages } from '../../src/dashboard/frame/pages.ts'
import { addEveryPage } from '../../src/dashboard/routes.ts'

/** The addresses of all screens of the dashboard, as the routes add them. */
export function screenRoutes(): string[] {
  const routes: string[] = []
  const note = (path: string) => void routes.push(path)
  const nothing = () => {}
  const pages = {
    screen: note,
    guest: note,
    person: note,
    action: nothing,
    upload: nothing,
    answer: nothing,
    guestAction: nothing,
    personAction: nothing,
    streams: anything,
    scope: anything,
    parts: anything,
  }
  addEveryPage(pages as unknown as Pages, anything as DashboardContext)
  return routes
}

/** Stands for every room: pages look into it when they are added, and nothing is asked of it. */
const anything: unknown = new Proxy(() => {}, {
  get: (_target, key) => (key === Symbol.iterator ? [][Symbol.iterator] : anything),
  apply: () => anything,
})

/** The route of an address: of several that match, the one with the fewest parts that vary. */
export function routeOf(routes: string[], address: string): string | undefined {
  const [path = ''] = address.split('?')
  const matches = (route: string) =>
    new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`).test(path)
  const varying = (route: string) => route.split(':').length
  return routes.filter(matches).toSorted((one, other) => varying(one) - varying(other))[0]
}

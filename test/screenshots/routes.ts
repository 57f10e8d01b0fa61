import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { ActionRules } from '#doors/dashboard/frame/actions.ts'
import type { FormRules } from '#doors/dashboard/frame/form-page.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { addEveryPage } from '#doors/dashboard/routes.ts'
import type { Action } from '#merchants/people/rights.ts'

/** A page or form behind a right. */
export interface Route {
  method: 'GET' | 'POST'
  path: string
  action: Action
  isSensitive: boolean
  /** Whether what its form shows is compared when it is sent. */
  isReviewed: boolean
}

/** The addresses of all screens of the dashboard, as the routes add them. */
export function screenRoutes(): string[] {
  return addRoutes().screens
}

/** Every page and form of the dashboard behind a right, as the routes add them. */
export function guardedRoutes(): Route[] {
  return addRoutes().guarded
}

/** The addresses of all forms, those that guests send apart. */
export function formRoutes(): { guests: string[]; signedIn: string[] } {
  const { guests, people, guarded } = addRoutes()
  const ofRights = guarded.filter(({ method }) => method === 'POST').map(({ path }) => path)
  return { guests, signedIn: [...people, ...ofRights] }
}

function addRoutes() {
  const screens: string[] = []
  const guarded: Route[] = []
  const guests: string[] = []
  const people: string[] = []
  const note = (path: string) => void screens.push(path)
  const guard = (
    method: Route['method'],
    path: string,
    rules: { action?: Action; isSensitive?: ActionRules['isSensitive']; reviewed?: unknown },
  ) => {
    const { action, isSensitive = false, reviewed = null } = rules
    if (action === undefined) throw new Error(`${path} asks for no right`)
    const flags = { isSensitive: isSensitive !== false, isReviewed: reviewed !== null }
    guarded.push({ method, path, action, ...flags })
  }
  const send = (path: string, rules: ActionRules) => guard('POST', path, rules)
  const pages = {
    screen: (path: string, action: Action) => {
      note(path)
      guard('GET', path, { action })
    },
    answer: (path: string, action: Action) => guard('GET', path, { action }),
    guest: note,
    person: note,
    action: send,
    form: (path: string, { seenBy, ...rules }: FormRules<Action, unknown>) => {
      note(path)
      guard('GET', path, { action: seenBy ?? rules.action })
      guard('POST', path, { ...rules, reviewed: rules.facts === undefined ? null : anything })
    },
    upload: send,
    guestAction: (path: string) => void guests.push(path),
    personAction: (path: string) => void people.push(path),
    scope: anything,
    parts: anything,
  }
  addEveryPage(pages as unknown as Pages, anything as DashboardContext)
  return { screens, guarded, guests, people }
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

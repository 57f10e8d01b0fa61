import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayProcess } from '../gateway-process.ts'
import type { World } from '../world.ts'
import type { Party } from './attackers.ts'
import { type HostileFile, slowBody } from './inputs.ts'
import { memoryMb, threadMs } from './process-cost.ts'
import { type AttackedRoute, routesOfGateway } from './routes.ts'
import { findWorst, type Urls, type Worst } from './search.ts'

const idleMs = 2000
const slowTargets = ['/api/v1/transaction/init', '/dashboard/sign-in']

/** The worst input of an address, by one of those who attack. */
export interface Found extends Worst {
  party: Party
  name: string
  /** How much more memory the gateway held after it was searched. */
  memoryMb: number
}

export interface SearchOrder {
  parties: Party[]
  files: HostileFile[]
  urls: Urls
  /** Every address, or every so many of them with the largest inputs alone. */
  every: number
}

/** Finds the worst input of each address, for everybody who attacks. */
export async function searchAll(
  { say }: Pick<World, 'say'>,
  gateway: GatewayProcess,
  { every, parties, files, urls }: SearchOrder,
): Promise<Found[]> {
  const pid = gateway.pid()
  const beforeMs = threadMs(pid)
  await sleep(idleMs)
  const idleShare = (threadMs(pid) - beforeMs) / idleMs
  const order = { urls, pid, files, isThorough: every === 1, idleShare }
  const found: Found[] = []
  // The metrics of a live gateway are on a port of their own, or nowhere.
  const routes = (await routesOfGateway()).filter(({ path }) => path !== '/metrics')
  let index = 0
  for (const first of parties) {
    let party = first
    for (const route of routes.filter((one) => first.has(one))) {
      index += 1
      if (index % every !== 0) continue
      say(`searching, ${party.attacker.name}: ${route.method} ${route.path}`)
      const memoryBefore = memoryMb(pid)
      const worst = await findWorst(order, party.attacker, route)
      const name = nameOf(party, route, worst.input)
      found.push({ party: first, name, memoryMb: memoryMb(pid) - memoryBefore, ...worst })
      if (route.method !== 'GET' && party.attacker.token !== '') party = await party.again()
    }
  }
  return found
}

function nameOf(party: Party, { method, path }: AttackedRoute, input: string): string {
  return `${party.attacker.name}: ${method} ${path}, ${input}`
}

/** Bodies that never end, to two addresses. */
export function slowBodies(party: Party): Found[] {
  return slowTargets.map((path) => {
    const route = { method: 'POST', path }
    const cost = { msPerSecond: 0, msEach: 0, tookMs: 1000, perSecond: 0, hasLedOn: false }
    const name = nameOf(party, route, slowBody)
    return { party, route, input: slowBody, name, memoryMb: 0, statuses: new Set(), ...cost }
  })
}

// Nothing is meant to be found there; and secrets of mails and providers, which nobody guesses.
const found404 = ['/callbacks/', '/dashboard/join/', '/dashboard/reset/', '/docs/assets/']

/** Addresses that were answered with nothing but refusals to look at the input. */
export function whatIsMissed(found: Found[]): string[] {
  return found
    .filter(({ party, route }) => party.may(route) && !route.path.includes('*'))
    .filter(({ route }) => !found404.some((one) => route.path.startsWith(one)))
    .filter(({ statuses }) => [...statuses].every((one) => [0, 401, 403, 404].includes(one)))
    .map(({ party, route, statuses }) => {
      const answers = [...statuses].join(' ')
      return `${party.attacker.name}: ${route.method} ${route.path} (${answers})`
    })
}

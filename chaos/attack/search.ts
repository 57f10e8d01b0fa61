import { type Addresses, addressesOf, withQuery } from './addresses.ts'
import { type Attack, requestsInSecond, sendOnce } from './flood.ts'
import { type HostileFile, type Input, inputsOf, isForTheProxy, withToken } from './inputs.ts'
import { threadMs } from './process-cost.ts'
import type { AttackedRoute } from './routes.ts'

/** Somebody who attacks, and what their requests carry. */
export interface Attacker {
  name: string
  headers: Record<string, string>
  token: string
  /** Another one; left out: nobody is signed in. */
  anotherToken?: () => Promise<string>
  /** A payment link that they know. */
  linkId: string
  /** Addresses of their own records, by route. */
  addresses: Addresses
  /** Bodies that the description gives as examples, by method and route. */
  examples: Map<string, string>
}

/** The input of an address that costs the gateway most. */
export interface Worst {
  route: AttackedRoute
  /** The name of the input. */
  input: string
  /** Time on the thread that serves payments, for each second of a flood. */
  msPerSecond: number
  msEach: number
  /** How long the answer took, which the database may have worked for. */
  tookMs: number
  /** How many requests of a flood go out in a second. */
  perSecond: number
  /** Each form leads on once. */
  hasLedOn: boolean
  /** What any of the inputs was answered with. */
  statuses: Set<number>
}

interface Search {
  /** Of the gateway, and of the proxy in front of it. */
  urls: Urls
  pid: number
  files: HostileFile[]
  isThorough: boolean
  /** The part of its time that the thread works while nobody asks for anything. */
  idleShare: number
}

/** Where inputs are sent: to a gateway, and to the proxy in front of it. */
export interface Urls {
  direct: string
  proxy: string
}

// Each input is tried once; those that cost most again.
const dearest = 4

/** Tries every shape on an address; returns what costs the thread that serves payments most. */
export async function findWorst(
  search: Search,
  attacker: Attacker,
  route: AttackedRoute,
): Promise<Worst> {
  const inputs = inputsFor(attacker, route, search)
  const statuses = new Set<number>()
  const first: Worst[] = []
  // Costs connections and no time: a flood shows what it does.
  for (const input of inputs.filter((one) => one.isDripped !== true))
    first.push(await tryInput(search, { attacker, route, input, statuses }, 1))
  const again: Worst[] = []
  for (const { input: name } of first.toSorted(byCost).slice(0, dearest)) {
    const input = inputs.find((one) => one.name === name)
    const times = search.isThorough ? 4 : 2
    if (input !== undefined)
      again.push(await tryInput(search, { attacker, route, input, statuses }, times))
  }
  const [worst] = again.toSorted(byCost)
  if (worst === undefined) throw new Error(`${route.path} was tried with nothing`)
  return worst
}

const costOf = ({ msPerSecond, tookMs }: Worst) => msPerSecond + tookMs
const byCost = (one: Worst, other: Worst) => costOf(other) - costOf(one)

interface Trial {
  attacker: Attacker
  route: AttackedRoute
  input: Input
  statuses: Set<number>
}

async function tryInput(
  { urls, pid, idleShare }: Search,
  { attacker, route, input, statuses }: Trial,
  times: number,
): Promise<Worst> {
  const attack = attackOf(attacker, route, { input, urls })
  const body = Buffer.from(attack.body, 'base64')
  const send = async (token: string) => {
    const own = withToken(body, { from: attacker.token, to: token })
    const from = { localAddress: nextAddress(), streamMsMax: 20 }
    const status = await sendOnce(attack, own, from)
    statuses.add(status)
    return status
  }
  // What is made once and kept is no matter for a flood.
  const hasLedOn = (await send(attacker.token)) === 303
  const costs: number[] = []
  const took: number[] = []
  for (let time = 0; time < times; time += 1) {
    const token = (hasLedOn && (await attacker.anotherToken?.())) || attacker.token
    const [beforeMs, sentMs] = [threadMs(pid), performance.now()]
    await send(token)
    const tookMs = performance.now() - sentMs
    costs.push(threadMs(pid) - beforeMs - idleShare * tookMs)
    took.push(tookMs)
  }
  // The least: more is what else the gateway was doing.
  const msEach = Math.max(0, Math.min(...costs))
  const perSecond = requestsInSecond(body.length)
  return {
    route,
    input: input.name,
    msEach,
    perSecond,
    msPerSecond: msEach * perSecond,
    tookMs: Math.min(...took),
    hasLedOn,
    statuses,
  }
}

let addresses = 0

/** Another network for each request: none is refused because of those before it. */
export function nextAddress(): string {
  addresses += 1
  return `127.10.${Math.floor(addresses / 250) % 250}.${1 + (addresses % 250)}`
}

/** What an attacker tries an address with. */
export function inputsFor(
  { token, linkId, addresses: known, examples }: Attacker,
  route: AttackedRoute,
  { isThorough, files }: Pick<Search, 'isThorough' | 'files'>,
): Input[] {
  const variants = addressesOf(route.path, known, linkIdFor(route, linkId)).length
  const example = examples.get(`${route.method} ${route.path}`)
  return inputsOf(route, { isThorough, files, token, variants, example })
}

const linkIdFor = ({ path }: AttackedRoute, linkId: string) =>
  path.startsWith('/pay/') && linkId !== '' ? linkId : undefined

/** An input as a request to an address. */
export function attackOf(
  attacker: Attacker,
  route: AttackedRoute,
  { input, urls }: { input: Input; urls: Urls },
): Attack {
  const { method, path } = route
  const variants = addressesOf(path, attacker.addresses, linkIdFor(route, attacker.linkId))
  const address = variants[input.variant ?? 0] ?? path
  const cookie = [attacker.headers.cookie, input.headers?.cookie].filter(Boolean).join('; ')
  return {
    name: `${attacker.name}: ${method} ${path}, ${input.name}`,
    url: isForTheProxy(input) ? urls.proxy : urls.direct,
    method,
    path: withQuery(address, input.query ?? '', input.isReplaced === true),
    headers: {
      ...attacker.headers,
      ...input.headers,
      ...(input.type === undefined ? {} : { 'content-type': input.type }),
      ...(cookie === '' ? {} : { cookie }),
    },
    body: input.body?.toString('base64') ?? '',
    tokens: attacker.token === '' ? [] : [attacker.token],
    isDripped: input.isDripped === true,
    share: 1,
    network: 9,
  }
}

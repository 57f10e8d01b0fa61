import { type Attack, requestsInSecond, sendOnce } from './flood.ts'
import { type HostileFile, type Input, inputsOf, withToken } from './inputs.ts'
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
  addresses: Map<string, string>
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
}

interface Search {
  url: string
  pid: number
  files: HostileFile[]
  isThorough: boolean
  /** The part of its time that the thread works while nobody asks for anything. */
  idleShare: number
}

/** Tries every shape on an address; returns what costs the thread that serves payments most. */
export async function findWorst(
  { url, pid, files, isThorough, idleShare }: Search,
  attacker: Attacker,
  route: AttackedRoute,
): Promise<Worst> {
  let worst: Worst = { route, input: '', msPerSecond: -1, msEach: 0, tookMs: 0 }
  for (const input of inputsOf(route, { isThorough, files, token: attacker.token })) {
    // Costs connections and no time: a flood shows what it does.
    if (input.isDripped === true) continue
    const attack = attackOf(attacker, route, input)
    const body = Buffer.from(attack.body, 'base64')
    const send = (token: string) => {
      const own = withToken(body, { from: attacker.token, to: token })
      return sendOnce(url, attack, own, { localAddress: nextAddress(), streamMsMax: 20 })
    }
    // What is made once and kept is no matter for a flood.
    const hasLedOn = (await send(attacker.token)) === 303
    const costs: number[] = []
    const times: number[] = []
    for (let time = 0; time < (isThorough ? 5 : 2); time += 1) {
      const token = (hasLedOn && (await attacker.anotherToken?.())) || attacker.token
      const [beforeMs, sentMs] = [threadMs(pid), performance.now()]
      await send(token)
      const tookMs = performance.now() - sentMs
      costs.push(threadMs(pid) - beforeMs - idleShare * tookMs)
      times.push(tookMs)
    }
    // The least: more is what else the gateway was doing.
    const msEach = Math.min(...costs)
    const msPerSecond = msEach * requestsInSecond(body.length)
    const tookMs = Math.min(...times)
    if (msPerSecond + tookMs > worst.msPerSecond + worst.tookMs)
      worst = { route, input: input.name, msPerSecond, msEach, tookMs }
  }
  return worst
}

let addresses = 0

/** Another network for each request: none is refused because of those before it. */
export function nextAddress(): string {
  addresses += 1
  return `127.10.${Math.floor(addresses / 250) % 250}.${1 + (addresses % 250)}`
}

const someId = '01a1e64a-d0e3-7848-849a-1a011969ef64'
const known: Record<string, string> = { ':connector': 'checkout-session', ':clientId': '1' }

/** An input as a request to an address. */
export function attackOf(attacker: Attacker, route: AttackedRoute, input: Input): Attack {
  const { method, path } = route
  const id = path.startsWith('/pay/') ? attacker.linkId : someId
  const made = path.replaceAll(/:\w+/g, (name) => known[name] ?? id).replace('*', '/x')
  const filled = attacker.addresses.get(path) ?? made
  const cookie = [attacker.headers.cookie, input.headers?.cookie].filter(Boolean).join('; ')
  return {
    name: `${attacker.name}: ${method} ${path}, ${input.name}`,
    method,
    path: `${filled}${input.query === undefined ? '' : `?${input.query}`}`,
    headers: {
      ...attacker.headers,
      ...input.headers,
      ...(input.type === undefined ? {} : { 'content-type': input.type }),
      ...(cookie === '' ? {} : { cookie }),
    },
    body: input.body?.toString('base64') ?? '',
    tokens: attacker.token === '' ? [] : [attacker.token],
    isDripped: input.isDripped === true,
  }
}

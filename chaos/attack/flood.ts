import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { withToken } from './inputs.ts'

/** One request, as it goes to a gateway again and again. */
export interface Attack {
  /** In reports: who sends what to which address. */
  name: string
  url: string
  method: string
  path: string
  headers: Record<string, string>
  /** Base64; empty for none. */
  body: string
  /** What the form carries in turn; the first is in `body`. */
  tokens: string[]
  isDripped: boolean
  /** The part of what one attacker sends, where several addresses are attacked at once. */
  share: number
  /** At once; left out: as many as fit that part. */
  connections?: number
  /** The second number of the addresses that it comes from. */
  network: number
}

/** What one flood did. */
export interface Flooded {
  sent: number
  bytes: number
  /** How many requests got which status; 0 stands for no answer. */
  statuses: Record<string, number>
}

// What is cheap for whoever attacks: a line of a home, and no machine of its own.
const connections = 40
const bytesPerSecond = 2 ** 20
const requestsPerSecond = 200
const headBytes = 1000
const dripEveryMs = 1000
const answerMsMax = 30_000

/** How many requests with a body of so many bytes one flood sends in a second. */
export function requestsInSecond(bodyBytes: number): number {
  return Math.min(requestsPerSecond, bytesPerSecond / (bodyBytes + headBytes))
}

/** Sends a request from many addresses of a network at once, over and over, for some time. */
export async function flood(attack: Attack, seconds: number): Promise<Flooded> {
  const { share, network } = attack
  const body = Buffer.from(attack.body, 'base64')
  const bytesEach = body.length + headBytes
  const everyMs = 1000 / (share * requestsInSecond(body.length))
  const flooded: Flooded = { sent: 0, bytes: 0, statuses: {} }
  const startedMs = performance.now()
  const endMs = startedMs + seconds * 1000
  const giveUp = new AbortController()
  const work = async (index: number) => {
    using agent = closing(new Agent({ keepAlive: true, maxSockets: 1 }))
    while (performance.now() < endMs) {
      const turn = flooded.sent
      flooded.sent += 1
      const waitMs = startedMs + turn * everyMs - performance.now()
      if (waitMs > 0) await sleep(Math.min(waitMs, endMs - performance.now()))
      if (performance.now() >= endMs) break
      flooded.bytes += bytesEach
      const from = {
        agent: agent.value,
        localAddress: `127.${network}.${index}.1`,
        signal: giveUp.signal,
      }
      const [first = ''] = attack.tokens
      const to = attack.tokens[turn % attack.tokens.length] ?? first
      const status = await sendOnce(attack, withToken(body, { from: first, to }), from)
      flooded.statuses[status] = (flooded.statuses[status] ?? 0) + 1
    }
  }
  const length = attack.connections ?? Math.max(1, Math.round(connections * share))
  const all = Promise.all(Array.from({ length }, (_, index) => work(index)))
  // What is not answered by then is left, as whoever attacks would.
  const leave = setTimeout(() => giveUp.abort(), seconds * 1000 + 100)
  await all
  clearTimeout(leave)
  return flooded
}

function closing(value: Agent) {
  return { value, [Symbol.dispose]: () => value.destroy() }
}

interface From {
  agent?: Agent
  localAddress?: string
  signal?: AbortSignal
  /** How long an answer is read that has no end, as a stream of events has none. */
  streamMsMax?: number
}

/** Sends a request once; its status, 0 without an answer. */
export function sendOnce(
  { url, method, path, headers, isDripped }: Attack,
  body: Buffer,
  { streamMsMax = 1000, ...from }: From = {},
): Promise<number> {
  return new Promise((resolve) => {
    const length = body.length > 0 ? { 'content-length': String(body.length) } : {}
    const going = request(`${url}${path}`, { method, headers: { ...headers, ...length }, ...from })
    let at = 1
    const drip = () => void going.write(body.subarray(at, ++at))
    const dripping = isDripped ? setInterval(drip, dripEveryMs) : undefined
    const end = (status: number) => {
      clearInterval(dripping)
      resolve(status)
    }
    going.setTimeout(answerMsMax, () => void going.destroy())
    going.on('error', () => end(0))
    going.on('response', (coming) => {
      const leave = setTimeout(() => void coming.destroy(), streamMsMax)
      coming.on('close', () => {
        clearTimeout(leave)
        end(coming.statusCode ?? 0)
      })
      coming.resume()
      if (isDripped) going.destroy()
    })
    if (isDripped) going.write(body.subarray(0, at))
    else going.end(body)
  })
}

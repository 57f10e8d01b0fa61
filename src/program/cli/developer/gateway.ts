import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { isThisMachine } from '#base/config/addresses.ts'
import { loadDeveloperSettings } from '#base/config/developer.ts'
import { Problem } from '#base/kit/problem.ts'
import { openConnectionPool } from '#base/net/pool.ts'
import { type RequestResult, sendRequest } from '#base/net/request.ts'
import { demoKey } from '#program/sandbox/demo-keys.ts'
import { webAddress } from '../terminal.ts'

/** Which gateway is called with which key. */
export interface Reach {
  url: string
  key: string
  /** Whether the key is one of a sandbox, where no real money moves. */
  isSandbox: boolean
  /** Whether nobody named a gateway: it is the one of this installation. */
  isOwn: boolean
}

/** Adds the options that say which gateway is called, and with which key. */
export function addReachOptions(command: Command): Command {
  return command
    .option('--url <url>', 'the gateway; else PASSERELLE_URL, else the one that runs here', webUrl)
    .option('--key <secret>', 'an API key; else PASSERELLE_KEY, else the demo key of a sandbox')
}

function webUrl(text: string): string {
  return webAddress(text).replace(/\/+$/, '')
}

/** Finds the gateway, `home` unless another is named, and the key. */
export async function readReach(
  options: { url?: string; key?: string },
  home: () => Promise<string>,
): Promise<Reach> {
  const settings = loadDeveloperSettings()
  const named = options.url ?? settings.url
  const key = options.key ?? settings.key ?? demoKey
  const url = named ?? (await home())
  const { protocol, hostname } = new URL(url)
  const isSandbox = key.startsWith('sk_sandbox_')
  if (!isSandbox && protocol === 'http:' && !isThisMachine(hostname))
    throw new Problem(`A live key is not sent over http: use https:// for ${hostname}.`)
  return { url, key, isSandbox, isOwn: named === null }
}

// Answers are read by the fields that a caller expects.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

/** An answer of the gateway, or why there is none: `lost` when the request may have arrived. */
export type Answer =
  | { kind: 'answered'; status: number; body: Json; retryAfterMs: number }
  | { kind: 'not_sent' | 'lost'; problem: Error }

/** The interface that every merchant has, over HTTP with a key. */
export interface Gateway extends Reach {
  /** Sends a request at most once; never rejects. */
  ask(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer>
  /** Reads something; throws a problem that says what to do when it cannot be read. */
  get(path: string): Promise<Json>
  close(): void
}

// The gateway answers within five seconds; the rest is for a slow network.
const deadlineMs = 30_000
const bodyBytesMax = 10_000_000

/** Opens the interface of a gateway. */
export function openGateway(reach: Reach): Gateway {
  const { origin, pathname } = new URL(reach.url)
  const base = pathname === '/' ? '' : pathname
  const pool = openConnectionPool(origin, { connectionsMax: 2, idleMs: 2000 })
  const headers = { authorization: `Bearer ${reach.key}`, accept: 'application/json' }

  async function ask(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const result = await sendRequest(pool, {
      method,
      path: base + path,
      headers: { ...headers, ...json },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      deadlineMs,
      bodyBytesMax,
      whenTooLong: 'lost',
    })
    return answerOf(result)
  }

  return {
    ...reach,
    ask,
    get: async (path) => {
      for (;;) {
        const answer = await ask('GET', path)
        if (answer.kind !== 'answered') throw unreachable(reach)
        if (answer.status < 300) return answer.body
        if (answer.status !== 429) throw refusal(reach, answer)
        await sleep(answer.retryAfterMs)
      }
    },
    close: () => pool.close(),
  }
}

function answerOf(result: RequestResult): Answer {
  if (result.kind !== 'answered') return { kind: result.kind, problem: result.problem }
  const { status, headers, body } = result
  const retryAfterMs = Number(headers['retry-after'] ?? 1) * 1000 || 1000
  return { kind: 'answered', status, body: parsed(body), retryAfterMs }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    // Some proxy's page.
    return {
      message: [
        text
          .replaceAll(/<[^>]*>|\s+/g, ' ')
          .trim()
          .slice(0, 200),
      ],
    }
  }
}

/** Nobody answers at the address. */
export function unreachable({ url, isOwn }: Reach): Problem {
  const where = isOwn || isThisMachine(new URL(url).hostname)
  const help = where
    ? 'start it with `npm start` in another terminal, or name another with --url.'
    : 'check --url, and that this machine reaches it.'
  return new Problem(`No gateway answers at ${url}: ${help}`)
}

/** The gateway's refusal in its own words, and what can be done where it is the key. */
export function refusal(reach: Reach, { status, body }: { status: number; body: Json }): Problem {
  if (status === 401) return wrongKey(reach)
  const sentences = [body?.message ?? 'no reason given'].flat().join('; ')
  const marks = [status, body?.code, body?.requestId].filter((one) => one !== undefined)
  return new Problem(`The gateway refuses: ${sentences} (${marks.join(', ')})`)
}

function wrongKey({ url, key }: Reach): Problem {
  if (key === demoKey)
    return new Problem(
      `${url} does not know the demo key: give yours with --key or PASSERELLE_KEY. The dashboard ` +
        'has keys under Developers.',
    )
  return new Problem(
    `${url} does not know this key (${maskedKey(key)}): check --key or PASSERELLE_KEY, and --url.`,
  )
}

/** A key as people recognise it: its kind and its last four characters. */
export function maskedKey(key: string): string {
  return `${/^sk_[a-z]+_/.exec(key)?.[0] ?? ''}...${key.slice(-4)}`
}

import { get as getPlain, type IncomingMessage } from 'node:http'
import { get as getSecure } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '#base/kit/problem.ts'
import { type Reach, refusal, unreachable } from './gateway.ts'

/** An event as the feed shows it. */
export interface FeedEvent {
  id: string
  cursor: string
  createdAt: string
  /** The body of its webhook. */
  event: {
    id: string
    externalTransactionId: string
    transactionType: string
    AMOUNT: number
    STATUS: string
    FAILURE_CODE: string
  }
}

/** Which events: after a cursor, from the "start", or, undefined, from now on. */
export interface Place {
  after: string | undefined
  signal: AbortSignal
}

const reconnectMs = 1000
// The gateway sends something every 15 seconds; a connection that is silent for longer is dead.
const silenceMs = 45_000

/**
 * The events of a key, in their order. When the stream breaks it is opened again where it broke, so
 * that none is missed and none comes twice; `tell` is told of it. Throws when it cannot be opened
 * at first, and when the gateway refuses.
 */
export async function* followForEver(
  reach: Reach,
  { after, signal }: Place,
  tell: (sentence: string) => void,
): AsyncIterable<FeedEvent> {
  let cursor = after
  let isAway = false
  for (let hasBegun = false; ; ) {
    try {
      for await (const { id, event } of follow(reach, { after: cursor, signal })) {
        if (!hasBegun) tell('Ready.')
        else if (isAway) tell(`Connected again, after event ${id}.`)
        hasBegun = true
        isAway = false
        if (event !== undefined) yield event
        cursor = id
      }
    } catch (problem) {
      if (signal.aborted || !hasBegun || problem instanceof Refused) throw problem
      if (!isAway) tell('The gateway does not answer: retrying until it does.')
      isAway = true
      await sleep(reconnectMs, undefined, { signal })
    }
  }
}

/** Trying again would not help. */
class Refused extends Problem {}

/**
 * The messages of one stream. The first has no event: it tells the place from which on nothing is
 * missed. Throws when the stream ends.
 */
export async function* follow(
  reach: Reach,
  { after, signal }: Place,
): AsyncIterable<{ id: string; event?: FeedEvent }> {
  const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`
  const answer = await open(reach, `/api/v1/events/stream${query}`, signal)
  const { statusCode: status = 0 } = answer
  if (status !== 200) {
    const problem = refusal(reach, { status, body: jsonOf(await text(answer)) })
    throw status < 500 && status !== 429 ? new Refused(problem.message) : problem
  }
  let rest = ''
  const decoder = new TextDecoder()
  for await (const part of answer) {
    const messages = (rest + decoder.decode(part, { stream: true })).split('\n\n')
    rest = messages.pop() ?? ''
    for (const message of messages) {
      const id = valueOf(message, 'id')
      const data = valueOf(message, 'data')
      if (id !== undefined) yield data === undefined ? { id } : { id, event: JSON.parse(data) }
    }
  }
  throw new Problem('The gateway ended the stream.')
}

function valueOf(message: string, name: string): string | undefined {
  const line = message.split('\n').find((one) => one.startsWith(`${name}: `))
  return line?.slice(name.length + 2)
}

function jsonOf(text: string): object {
  try {
    return JSON.parse(text)
  } catch {
    return { message: [text.slice(0, 200)] }
  }
}

function open(reach: Reach, path: string, signal: AbortSignal): Promise<IncomingMessage> {
  const url = `${reach.url}${path}`
  const headers = { authorization: `Bearer ${reach.key}` }
  const options = { headers, signal, timeout: silenceMs }
  return new Promise((resolve, reject) => {
    const request = (url.startsWith('https:') ? getSecure : getPlain)(url, options, resolve)
    request.on('timeout', () => request.destroy(new Problem('The gateway is silent.')))
    request.on('error', () => reject(unreachable(reach)))
  })
}

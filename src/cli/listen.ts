import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { request } from 'undici'
import { loadConfig } from '../config/config.ts'
import { systemClock } from '../kit/clock.ts'
import { Problem } from '../kit/problem.ts'
import { demoKey, demoWebhookSecret } from '../sandbox/demo.ts'
import { signatureHeaders } from '../webhooks/sign.ts'
import { isJson } from './terminal.ts'

/** An event as the feed shows it. */
interface FeedEvent {
  id: string
  cursor: string
  event: { transactionType: string; STATUS: string; AMOUNT: number; externalTransactionId: string }
}

/** `passerelle listen`: prints events as they happen, and forwards them to a local program. */
export function addListenCommand(program: Command): void {
  program
    .command('listen')
    .description('print events as they happen, and forward them to a developer’s machine')
    .option('--forward-to <url>', 'POST each event here, as a webhook would')
    .option('--key <secret>', 'the API key to listen with', demoKey)
    .option('--secret <whsec>', 'sign what is forwarded with this secret', demoWebhookSecret)
    .option('--gateway <url>', 'the gateway to listen to')
    .option('--after <cursor>', 'begin after this event, or with "start"; left out: the next one')
    .action(async (options, command: Command) => {
      const gateway = options.gateway ?? loadConfig().publicUrl
      if (!isJson(command)) process.stderr.write(`Listening to ${gateway}\n`)
      for await (const event of followForEver(gateway, options.key, options.after)) {
        const forwarded = await forward(event, options.forwardTo, options.secret)
        const format = isJson(command) ? asJson : asLine
        process.stdout.write(`${format(event, forwarded)}\n`)
      }
    })
}

/** The status that the developer's program answered, or why it did not; null: not forwarded. */
type Forwarded = number | string | null

function asJson(event: FeedEvent, forwarded: Forwarded): string {
  return JSON.stringify({ ...event, forwarded })
}

function asLine({ id, event }: FeedEvent, forwarded: Forwarded): string {
  const { transactionType, STATUS, AMOUNT, externalTransactionId } = event
  const arrow = forwarded === null ? [] : ['→', forwarded]
  return [id, transactionType, STATUS, AMOUNT, externalTransactionId, ...arrow].join(' ')
}

const reconnectMs = 1000

/**
 * The events of the stream. When it breaks, it is opened again where it broke; when it cannot be
 * opened at first, or is refused, that is thrown.
 */
async function* followForEver(
  gateway: string,
  key: string,
  after: string | undefined,
): AsyncIterable<FeedEvent> {
  let cursor = after
  for (let hasBegun = false; ; ) {
    try {
      for await (const { id, event } of follow(gateway, key, cursor)) {
        hasBegun = true
        if (event !== undefined) yield event
        cursor = id
      }
    } catch (problem) {
      if (!hasBegun || problem instanceof Refused) throw problem
      process.stderr.write(`${(problem as Error).message} Trying again…\n`)
      await sleep(reconnectMs)
    }
  }
}

/** Trying again would not help. */
class Refused extends Problem {}

/** The messages of one stream; the first has no event. Throws when the gateway ends the stream. */
async function* follow(
  gateway: string,
  key: string,
  after: string | undefined,
): AsyncIterable<{ id: string; event?: FeedEvent }> {
  const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`
  const { statusCode, body } = await ask(`${gateway}/api/v1/events/stream${query}`, key)
  if (statusCode !== 200) {
    const reason = `The gateway refuses to stream (${statusCode}): ${await messageOf(body)}.`
    throw new (statusCode < 500 && statusCode !== 429 ? Refused : Problem)(reason)
  }
  let rest = ''
  const decoder = new TextDecoder()
  for await (const part of body) {
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

async function messageOf(body: { text(): Promise<string> }): Promise<string> {
  const text = await body.text()
  try {
    return (JSON.parse(text) as { message: string[] }).message.join('; ')
  } catch {
    return text.slice(0, 200)
  }
}

async function ask(url: string, key: string) {
  try {
    return await request(url, { headers: { authorization: `Bearer ${key}` }, bodyTimeout: 0 })
  } catch (problem) {
    throw new Problem(`The gateway at ${new URL(url).origin} cannot be reached.`, {
      cause: problem,
    })
  }
}

/** Posts an event to the developer's program as a signed webhook. */
async function forward(
  { id, event }: FeedEvent,
  url: string | undefined,
  secret: string,
): Promise<Forwarded> {
  if (url === undefined) return null
  const body = JSON.stringify(event)
  const message = { id, sentAt: systemClock.now(), body }
  const headers = { ...signatureHeaders(message, [secret]), 'content-type': 'application/json' }
  try {
    const answer = await request(url, { method: 'POST', headers, body, headersTimeout: 10_000 })
    await answer.body.dump()
    return answer.statusCode
  } catch (problem) {
    return (problem as { code?: string }).code ?? 'no answer'
  }
}

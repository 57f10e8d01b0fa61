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
    .option('--after <cursor>', 'begin after this event; left out: with the next one')
    .action(async (options, command: Command) => {
      const gateway = options.gateway ?? loadConfig().publicUrl
      const after = options.after ?? (await lastCursor(gateway, options.key))
      if (!isJson(command)) process.stderr.write(`Listening to ${gateway} after ${after}\n`)
      for await (const event of followForEver(gateway, options.key, after)) {
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

/** The cursor of the newest event. */
async function lastCursor(gateway: string, key: string): Promise<string> {
  let cursor = '0'
  for (;;) {
    const { next, events } = await pull(gateway, key, cursor)
    cursor = next
    if (events.length < 1000) return cursor
  }
}

async function pull(gateway: string, key: string, after: string) {
  const { statusCode, body } = await ask(`${gateway}/api/v1/events?after=${after}&limit=1000`, key)
  const answer = (await body.json()) as { next: string; events: FeedEvent[]; message?: string[] }
  if (statusCode !== 200) throw new Problem(`The gateway says: ${answer.message?.join('; ')}.`)
  return answer
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

const reconnectMs = 1000

/** The events of the stream. When it breaks, it is opened again after the last event. */
async function* followForEver(
  gateway: string,
  key: string,
  after: string,
): AsyncIterable<FeedEvent> {
  let cursor = after
  for (;;) {
    try {
      for await (const event of follow(gateway, key, cursor)) {
        yield event
        cursor = event.cursor
      }
    } catch (problem) {
      process.stderr.write(`${(problem as Error).message} Trying again…\n`)
      await sleep(reconnectMs)
    }
  }
}

/** The events of one stream; throws when the gateway ends it. */
async function* follow(gateway: string, key: string, after: string): AsyncIterable<FeedEvent> {
  let rest = ''
  const { statusCode, body } = await ask(`${gateway}/api/v1/events/stream?after=${after}`, key)
  if (statusCode !== 200) throw new Problem(`The gateway refuses to stream (${statusCode}).`)
  for await (const part of body) {
    const messages = (rest + String(part)).split('\n\n')
    rest = messages.pop() ?? ''
    for (const message of messages) {
      const data = message.split('\n').find((line) => line.startsWith('data: '))
      if (data !== undefined) yield JSON.parse(data.slice('data: '.length)) as FeedEvent
    }
  }
  throw new Problem('The gateway ended the stream.')
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

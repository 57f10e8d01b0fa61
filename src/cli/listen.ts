import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { request } from 'undici'
import { loadConfig } from '../config/config.ts'
import { systemClock } from '../kit/clock.ts'
import { Problem } from '../kit/problem.ts'
import { demoKey, demoWebhookSecret } from '../sandbox/demo.ts'
import { signatureHeaders } from '../webhooks/sign.ts'
import { isJson } from './terminal.ts'

interface Told {
  id: string
  cursor: string
  event: { transactionType: string; STATUS: string; AMOUNT: number; externalTransactionId: string }
}

/** `passerelle listen`: events as they happen, printed and handed to a program on this machine. */
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
      for await (const told of followForEver(gateway, options.key, after)) {
        const answer = await forward(told, options.forwardTo, options.secret)
        process.stdout.write(`${isJson(command) ? asJson(told, answer) : asLine(told, answer)}\n`)
      }
    })
}

type Forwarded = number | string | null

function asJson(told: Told, forwarded: Forwarded): string {
  return JSON.stringify({ ...told, forwarded })
}

function asLine({ id, event }: Told, forwarded: Forwarded): string {
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
  const answer = (await body.json()) as { next: string; events: Told[]; message?: string[] }
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

/** The stream; when the gateway goes away, again from where it was left. */
async function* followForEver(gateway: string, key: string, after: string): AsyncIterable<Told> {
  let cursor = after
  for (;;) {
    try {
      for await (const told of follow(gateway, key, cursor)) {
        yield told
        cursor = told.cursor
      }
    } catch (problem) {
      process.stderr.write(`${(problem as Error).message} Trying again…\n`)
      await sleep(reconnectMs)
    }
  }
}

/** The stream, for as long as the gateway is there. */
async function* follow(gateway: string, key: string, after: string): AsyncIterable<Told> {
  let rest = ''
  const { statusCode, body } = await ask(`${gateway}/api/v1/events/stream?after=${after}`, key)
  if (statusCode !== 200) throw new Problem(`The gateway refuses to stream (${statusCode}).`)
  for await (const part of body) {
    const messages = (rest + String(part)).split('\n\n')
    rest = messages.pop() ?? ''
    for (const message of messages) {
      const data = message.split('\n').find((line) => line.startsWith('data: '))
      if (data !== undefined) yield JSON.parse(data.slice('data: '.length)) as Told
    }
  }
  throw new Problem('The gateway ended the stream.')
}

/** What the developer's program answers; null when there is none. */
async function forward(told: Told, url: string | undefined, secret: string): Promise<Forwarded> {
  if (url === undefined) return null
  const body = JSON.stringify(told.event)
  const message = { id: told.id, sentAt: systemClock.now(), body }
  const headers = { ...signatureHeaders(message, [secret]), 'content-type': 'application/json' }
  try {
    const answer = await request(url, { method: 'POST', headers, body, headersTimeout: 10_000 })
    await answer.body.dump()
    return answer.statusCode
  } catch (problem) {
    return (problem as { code?: string }).code ?? 'no answer'
  }
}

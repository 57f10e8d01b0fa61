import { type Command, Option } from 'commander'
import { eventName } from '#edge/wire/event-name.ts'
import { francs, isJson, webAddress, writeAside, writeOut } from '../terminal.ts'
import { eventFilter } from './event-names.ts'
import { type Forwarded, openForwarder } from './forward.ts'
import { addReachOptions, maskedKey, type Reach, readReach } from './gateway.ts'
import { listenSecretOf, webhookSecret } from './listen-secret.ts'
import { badText, httpText, timeOfDay } from './screen.ts'
import { type FeedEvent, followForEver } from './stream.ts'
import { untilStopped } from './until-stopped.ts'

const examples = `
Examples:
  passerelle listen
  passerelle listen --forward http://127.0.0.1:3000/webhooks
  passerelle listen --events 'cashout.success,*.failed'
  export WEBHOOK_SECRET=$(passerelle listen --print-secret)

What is forwarded is signed as webhooks are, with the secret that is shown. An event waits while
nobody listens there; one that was answered is not sent again, whatever the answer.`

interface Options {
  url?: string
  gateway?: string
  key?: string
  forward?: string
  forwardTo?: string
  secret?: string
  events?: (name: string) => boolean
  after?: string
  printSecret: boolean
}

/**
 * `passerelle listen`: prints events as they happen, and forwards them to a local program; those of
 * the gateway `home` unless another is named.
 */
export function addListenCommand(program: Command, home: () => Promise<string>): void {
  const command = program
    .command('listen')
    .description('print events as they happen, and forward them to a developer’s machine')
    .option('--forward <url>', 'POST each event here, as a webhook would', webAddress)
    .addOption(new Option('--forward-to <url>', 'the same').argParser(webAddress).hideHelp())
    .option('--events <names>', 'only these: cashout.success, refund, *.failed, …', eventFilter)
    .option('--secret <whsec>', 'sign with this secret instead of the one shown', webhookSecret)
    .option('--print-secret', 'print the secret that signs, and nothing else', false)
    .option('--after <cursor>', 'begin after this event, or with "start"; default: the next one')
    .addOption(new Option('--gateway <url>', 'the same as --url').hideHelp())
  addReachOptions(command)
    .addHelpText('after', examples)
    .action(async (options: Options, own: Command) => {
      const url = options.url ?? options.gateway
      const reach = await readReach({ ...options, ...(url === undefined ? {} : { url }) }, home)
      const secret = options.secret ?? listenSecretOf(reach.key)
      if (options.printSecret) writeOut(`${secret}\n`)
      else await listen(reach, secret, options, isJson(own))
    })
}

async function listen(
  reach: Reach,
  secret: string,
  options: Options,
  asJson: boolean,
): Promise<void> {
  const { after, events: isWanted = () => true } = options
  const target = options.forward ?? options.forwardTo
  const tell = (sentence: string) => {
    if (!asJson) writeAside(`${sentence}\n`)
  }
  let last = after
  await untilStopped(
    async (signal) => {
      const way = { secret, signal }
      const forwarder = target === undefined ? null : openForwarder({ url: target, ...way }, tell)
      signal.addEventListener('abort', () => forwarder?.close())
      tell(`Listening to ${reach.url} with the key ${maskedKey(reach.key)}`)
      tell(`Webhook secret: ${secret}${target === undefined ? '' : `, forwarding to ${target}`}`)
      try {
        for await (const event of followForEver(reach, { after, signal }, tell)) {
          if (isWanted(eventName(event.event))) {
            const forwarded = (await forwarder?.send(event)) ?? null
            writeOut(`${(asJson ? asLineOfJson : asLine)(event, forwarded)}\n`)
          }
          last = event.cursor
        }
      } finally {
        forwarder?.close()
      }
    },
    () => (last === undefined ? 'Stopped.' : `Stopped. --after ${last} goes on from here.`),
  )
}

function asLineOfJson(event: FeedEvent, forwarded: Forwarded | null): string {
  return JSON.stringify({ ...event, forwarded })
}

/** An event on one line; the number before it is its cursor. */
export function asLine(one: FeedEvent, forwarded: Forwarded | null): string {
  const { event, cursor, createdAt } = one
  const cause = event.FAILURE_CODE === '' ? [] : [event.FAILURE_CODE]
  return [
    timeOfDay(new Date(createdAt)),
    `#${cursor}`,
    eventName(event).padEnd(17),
    francs(event.AMOUNT).padStart(15),
    event.externalTransactionId || event.id,
    ...cause,
    ...(forwarded === null ? [] : [`-> ${outcomeOf(forwarded)} in ${forwarded.tookMs} ms`]),
  ].join('  ')
}

function outcomeOf(forwarded: Forwarded): string {
  return 'status' in forwarded ? httpText(forwarded.status) : badText(forwarded.problem)
}

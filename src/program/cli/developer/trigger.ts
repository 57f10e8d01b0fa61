import type { Command } from 'commander'
import { nearest } from '#base/kit/nearest.ts'
import { Problem } from '#base/kit/problem.ts'
import { ExitProblem, exitCodes } from '../exit.ts'
import { durationOption, isJson, print, tableOf, whole, writeOut } from '../terminal.ts'
import { addReachOptions, type Gateway, openGateway, readReach } from './gateway.ts'
import { asLine } from './listen.ts'
import { faint, openScreen } from './screen.ts'
import { type FeedEvent, follow } from './stream.ts'
import { type Scenario, scenarios } from './trigger-scenarios.ts'
import { untilStopped } from './until-stopped.ts'

const examples = `
Each makes a real payment in a sandbox, whose providers are played by the lab. Examples:
  passerelle trigger --list
  passerelle trigger cashout.success
  passerelle trigger cashout.failed --cause PAYER_BLOCKED
  passerelle trigger payment.success --json

Exit codes: 0 the event came, 3 it did not come in time, 1 refused, 130 Ctrl-C.`

interface Options {
  url?: string
  key?: string
  cause?: string
  amount: number
  timeout: number
  list: boolean
}

/** `passerelle trigger`: makes an event happen, in a sandbox; `home` unless another is named. */
export function addTriggerCommand(program: Command, home: () => Promise<string>): void {
  const command = program
    .command('trigger [event]')
    .description('make an event happen, by a real payment in a sandbox')
    .option('--list', 'list all events', false)
    .option('--cause <code>', 'why it fails, where there are several causes')
    .option('--amount <francs>', 'whole francs', whole(1), 500)
    .addOption(durationOption('--timeout <duration>', 'how long to wait for the event', '60s'))
  addReachOptions(command)
    .addHelpText('after', examples)
    .action(async (event: string | undefined, options: Options, own: Command) => {
      if (options.list || event === undefined) return list(own)
      const scenario = scenarioOf(event, options.cause)
      const reach = await readReach(options, home)
      if (!reach.isSandbox)
        throw new Problem(
          'This key is live, and trigger pays: use one that begins with sk_sandbox_.',
        )
      await untilStopped(
        (signal) =>
          makeEvent(openGateway(reach), scenario, { ...options, asJson: isJson(own), signal }),
        () => 'Stopped. What was begun goes on.',
      )
    })
}

function list(command: Command): void {
  const rows = scenarios.map(({ event, cause = '', about }) => ({ event, cause, about }))
  const lines = tableOf(rows, {
    Event: ({ event }) => event,
    '--cause': ({ cause }) => cause,
    'What happens': ({ about }) => about,
  })
  print(command, { events: rows }, lines)
}

function scenarioOf(event: string, cause: string | undefined): Scenario {
  const wanted = event.toLowerCase()
  const known = scenarios.filter((one) => one.event === wanted)
  if (known.length === 0) {
    const near = nearest(event, [...new Set(scenarios.map((one) => one.event))])
    const hint = near === undefined ? '' : ` Did you mean ${near}?`
    throw new Problem(`Unknown event "${event}".${hint} \`passerelle trigger --list\` lists all.`)
  }
  const found = known.find((one) => cause === undefined || one.cause === cause.toUpperCase())
  if (found !== undefined) return found
  const causes = known.flatMap((one) => one.cause ?? [])
  const choice = causes.length === 0 ? 'it has none' : `it has ${causes.join(', ')}`
  throw new Problem(`${event} has no cause "${cause}": ${choice}.`)
}

interface MakingOptions {
  amount: number
  timeout: number
  asJson: boolean
  signal: AbortSignal
}

/** Makes the payment, and waits for its event. */
async function makeEvent(
  gateway: Gateway,
  scenario: Scenario,
  options: MakingOptions,
): Promise<void> {
  const { amount, timeout, asJson, signal } = options
  const screen = openScreen(asJson)
  const late = AbortSignal.timeout(timeout)
  const ended = AbortSignal.any([signal, late])
  ended.addEventListener('abort', gateway.close)
  try {
    const stream = follow(gateway, { after: undefined, signal: ended })[Symbol.asyncIterator]()
    // From here on no event is missed.
    await stream.next()
    const tell = (step: string) => screen.line(faint(step))
    const id = await scenario.make({ gateway, amount, signal: ended, tell })
    screen.waitFor(`Waiting for ${scenario.event}`)
    const event = await eventOf(stream, id)
    screen.line(asLine(event, null))
    screen.line(JSON.stringify(event.event, null, 2))
    if (asJson) writeOut(`${JSON.stringify(event, null, 2)}\n`)
    await stream.return?.()
  } catch (problem) {
    if (!late.aborted || signal.aborted) throw problem
    const sentence = `${scenario.event} has not come within ${timeout / 1000} s; it may still come.`
    throw new ExitProblem(exitCodes.unknown, sentence)
  } finally {
    screen.end()
    gateway.close()
  }
}

async function eventOf(
  stream: AsyncIterator<{ event?: FeedEvent }>,
  id: string,
): Promise<FeedEvent> {
  for (;;) {
    const { value, done } = await stream.next()
    if (done) throw new Problem('The gateway ended the stream.')
    if (value.event?.event.id === id) return value.event
  }
}

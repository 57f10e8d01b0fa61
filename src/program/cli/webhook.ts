import { type Command, Option } from 'commander'
import { deliveryStates } from '#backoffice/webhooks/delivery-states.ts'
import type { Webhooks } from '#backoffice/webhooks/open.ts'
import type { DeliverySummary } from '#backoffice/webhooks/operate-store.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { eventName } from '#edge/wire/event-name.ts'
import { readEventId } from '#edge/wire/feed.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import { onDatabase, onDomain } from './session.ts'
import { actor, counted, date, durationOption, print, tableOf, whole } from './terminal.ts'

/** `passerelle webhook`: shows events and their deliveries, and sends them again. */
export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('look into deliveries and resend them')
  addList(webhook)
  addShow(webhook)
  addReplay(webhook)
  addReplayRange(webhook)
  addTest(webhook)
  addRotate(webhook)
}

function addList(webhook: Command): void {
  webhook
    .command('list <client>')
    .description("a client's deliveries, newest first")
    .addOption(new Option('--state <state>', 'only these').choices(deliveryStates))
    .option('--limit <count>', 'how many', whole(1), 50)
    .action(async (name: string, options, command: Command) => {
      const deliveries = await onDomain(async ({ clients, webhooks }) =>
        webhooks.deliveries.list({
          clientId: await clients.idOf(name),
          group: options.state ?? 'all',
          limit: options.limit,
        }),
      )
      const lines = tableOf(deliveries, {
        Made: (one) => one.createdAt.toISOString(),
        Event: (one) => `evt_${one.eventId}`,
        Type: eventName,
        Reference: (one) => one.externalId ?? '',
        Amount: (one) => one.amount,
        State: (one) => one.state,
        Tries: (one) => one.tries,
        'Last answer': (one) => one.lastStatus ?? one.lastProblem ?? '',
        'Next attempt': (one) => one.dueAt?.toISOString() ?? '',
        Address: (one) => one.url,
      })
      print(command, { deliveries }, lines)
    })
}

function addShow(webhook: Command): void {
  webhook
    .command('show <event>')
    .description('an event, and every attempt to deliver it')
    .action(async (text: string, _options, command: Command) => {
      const shown = await onDomain(async ({ webhooks }) => {
        const event = await eventNamed(webhooks, text)
        return { event: hideToken(event.body), attempts: await webhooks.deliveries.triesOf(event) }
      })
      const attempts = tableOf(shown.attempts, {
        When: (one) => one.at.toISOString(),
        Try: (one) => one.number,
        Answer: (one) => one.httpStatus ?? one.problem ?? '',
        Took: (one) => `${one.durationMs} ms`,
        Address: (one) => one.url,
        'First bytes': (one) => one.excerpt.slice(0, 60).replaceAll(/\s+/g, ' '),
      })
      print(command, shown, [JSON.stringify(shown.event, null, 2), '', ...attempts])
    })
}

function addReplay(webhook: Command): void {
  webhook
    .command('replay <event>')
    .description('send an event once more, and show what its address answers')
    .action(async (text: string, _options, command: Command) => {
      const deliveries = await onDomain(async ({ webhooks }) => {
        const { clientId, id } = await eventNamed(webhooks, text)
        return afterTries(webhooks, clientId, [
          await webhooks.feed.replay(wholeClient(clientId), id),
        ])
      })
      printReplayed(command, deliveries)
    })
}

function addReplayRange(webhook: Command): void {
  webhook
    .command('replay-range <client>')
    .description('resend what happened between two moments and was not delivered')
    .requiredOption('--from <time>', 'ISO 8601, included', date)
    .requiredOption('--to <time>', 'ISO 8601, not included', date)
    .option('--all', 'also what was delivered', false)
    .action(async (name: string, options, command: Command) => {
      const deliveries = await onDomain(async ({ clients, webhooks }) => {
        const clientId = await clients.idOf(name)
        const { from, to, all: isAll } = options
        const found = await webhooks.events.idsIn({ clientId, from, to, isAll, limit: 1e9 })
        const made = await webhooks.feed.replayAll(wholeClient(clientId), found)
        return afterTries(webhooks, clientId, made)
      })
      printReplayed(command, deliveries)
    })
}

/** What became of deliveries that this process sends, once all were tried. */
async function afterTries(
  webhooks: Webhooks,
  clientId: number,
  ids: string[],
): Promise<DeliverySummary[]> {
  await webhooks.drain()
  return (await webhooks.deliveries.find(clientId, ids)).toReversed()
}

/** Prints what became of replays; the exit code is 1 unless all were delivered. */
function printReplayed(command: Command, found: DeliverySummary[]): void {
  const deliveries = found.map(({ eventId, url, state, tries, lastStatus, lastProblem, dueAt }) => {
    const nextTryAt = tries === 0 ? null : dueAt
    const answer = { httpStatus: lastStatus, problem: lastProblem }
    return { event: `evt_${eventId}`, url, state, tries, ...answer, nextTryAt }
  })
  const delivered = deliveries.filter(({ state }) => state === 'delivered').length
  const lines = tableOf(deliveries, {
    Event: (one) => one.event,
    State: (one) => one.state,
    Answer: (one) => one.httpStatus ?? one.problem ?? 'not tried yet',
    'Next attempt': (one) => one.nextTryAt?.toISOString() ?? '',
    Address: (one) => one.url,
  })
  const isAll = delivered === deliveries.length
  const hint = isAll ? '' : ' The gateway retries those that are pending.'
  const summary = `${delivered} of ${counted(deliveries.length, 'event')} delivered.${hint}`
  const all = { replayed: deliveries.map(({ event }) => event), deliveries }
  print(command, all, [...(deliveries.length === 0 ? [] : [...lines, '']), summary])
  if (!isAll) process.exitCode = 1
}

function addTest(webhook: Command): void {
  webhook
    .command('test <client>')
    .description('send a signed example to an address, and show what it answers')
    .option('--url <url>', "the address; default: the client's own")
    .action(async (name: string, options, command: Command) => {
      const sent = await onDomain(async ({ clients, webhooks }) => {
        const clientId = await clients.idOf(name)
        const url = options.url ?? (await clients.find(clientId))?.callbackUrl
        if (!url || !URL.canParse(url))
          throw new Refusal('validation_failed', 'There is no address to send it to: use --url')
        return webhooks.sendTest({ clientId, url })
      })
      const answer = sent.status ?? sent.problem
      print(command, sent, [`${answer} after ${sent.durationMs} ms`, sent.excerpt])
      if (sent.status === null || sent.status >= 300) process.exitCode = 1
    })
}

function addRotate(webhook: Command): void {
  webhook
    .command('rotate-secret <client>')
    .description('give a client a new signing secret; both sign for a while')
    .addOption(durationOption('--overlap <duration>', 'how long the old one signs, e.g. 2h', '24h'))
    .action(async (name: string, options, command: Command) => {
      const { overlap: overlapMs } = options
      const secret = await onDatabase(async ({ clients }) => {
        const clientId = await clients.idOf(name)
        return clients.webhookSecrets.rotate({ clientId, overlapMs, actor: actor() })
      })
      print(command, { secret }, [`Webhook secret, shown this once: ${secret}`])
    })
}

/** The event with this id, with or without evt_; refuses when there is none. */
async function eventNamed(webhooks: Webhooks, text: string) {
  const id = readEventId(text)
  const event = id === undefined ? undefined : await webhooks.events.findOfAll(id)
  if (event === undefined) throw new Refusal('not_found', 'No event found')
  return event
}

/** The event without the digits of its recharge codes, which a terminal must not show. */
function hideToken(body: string): object {
  const event = JSON.parse(body)
  return 'TOKEN' in event ? { ...event, TOKEN: event.TOKEN.replaceAll(/\d/g, '*') } : event
}

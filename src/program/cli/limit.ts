import type { Command } from 'commander'
import type { ListedLimit } from '#money/limits/list.ts'
import { onDatabase } from './session.ts'
import { actor, francs, print, tableOf, whole } from './terminal.ts'

/** `passerelle limit`: what clients may move in a day, and how often they may try a number. */
export function addLimitCommands(program: Command): void {
  const limit = program
    .command('limit')
    .description('limit what a client may move in a day of its country, and attempts on one number')
  addSet(limit)

  limit
    .command('list [client]')
    .description('the limits there are, with what is used of them today')
    .action(async (client: string | undefined, _options, command: Command) => {
      const limits = await onDatabase(async ({ clients, limits: room }) =>
        room.list(client === undefined ? null : await clients.idOf(client)),
      )
      print(command, { limits }, limits.length === 0 ? ['There are no limits.'] : tableFor(limits))
    })

  limit
    .command('remove <client> <scope>')
    .description('remove the limit of a service, "all" services, REFUND or NUMBERS')
    .action(async (client: string, scope: string, _options, command: Command) => {
      await onDatabase(async ({ clients, limits }) => {
        const clientId = await clients.idOf(client)
        const order = { clientId, scope, actor: actor() }
        await limits.remove(order)
      })
      print(command, { scope, isLimited: false }, [`No limit any more: ${scope}.`])
    })
}

function addSet(limit: Command): void {
  limit
    .command('set <client> <scope>')
    .description(
      'limit a service, "all" (each of them), REFUND, or attempts on one payer (NUMBERS)',
    )
    .option('--amount <francs>', 'most that may be moved in a day; default: no limit', whole(1))
    .option('--count <number>', 'most transactions in a day; default: no limit', whole(1))
    .option(
      '--tries <number>',
      'NUMBERS: most collections from one number in ten minutes',
      whole(1),
    )
    .action(async (client: string, scope: string, options, command: Command) => {
      const { amount = null, count = null, tries = null } = options
      const values = { amountMax: amount, countMax: count, attemptsMax: tries }
      await onDatabase(async ({ clients, limits }) => {
        const clientId = await clients.idOf(client)
        const order = { clientId, scope, ...values, actor: actor() }
        await limits.set(order)
      })
      print(command, { scope, ...values }, [`Limited: ${scope}.`])
    })
}

function tableFor(limits: ListedLimit[]): string[] {
  return tableOf(limits, {
    Client: (one) => one.clientId,
    Scope: (one) => one.scope,
    'Amount a day': (one) => (one.amountMax === null ? '' : francs(one.amountMax)),
    Used: (one) => (one.attemptsMax === null ? francs(one.usedAmount) : ''),
    'Count a day': (one) => one.countMax ?? '',
    Made: (one) => (one.attemptsMax === null ? one.usedCount : ''),
    'Attempts in 10 minutes': (one) => one.attemptsMax ?? '',
  })
}

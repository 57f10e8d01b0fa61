import type { Command } from 'commander'
import { onDatabase } from './session.ts'
import { actor, date, print, tableOf } from './terminal.ts'

/** `passerelle maintenance`: closes the interface, all payments or some, and opens them again. */
export function addMaintenanceCommands(program: Command): void {
  const maintenance = program
    .command('maintenance')
    .description('close the API, or new payments; requests then get 403')

  maintenance
    .command('on [scope]')
    .description(
      'close everything, or new payments: "payments" for all, SN for a country, WALLETA_SN for a ' +
        'wallet there, or one service',
    )
    .option('--reason <text>', 'why, for the audit log', 'not given')
    .option('--until <time>', 'when it is planned to end; it is opened by hand all the same', date)
    .option('--notice <text>', 'what merchants and payers are told')
    .action(async (scope: string | undefined, options, command: Command) => {
      const { reason, until, notice } = options
      const order = { scope: scope ?? 'all', reason, until, notice, actor: actor() }
      await onDatabase(({ catalog }) => catalog.close(order))
      print(command, { scope: order.scope, isClosed: true }, [`Closed: ${order.scope}.`])
    })

  maintenance
    .command('off [scope]')
    .description('open it again')
    .action(async (scope: string | undefined, _options, command: Command) => {
      const order = { scope: scope ?? 'all', actor: actor() }
      await onDatabase(({ catalog }) => catalog.reopen(order))
      print(command, { scope: order.scope, isClosed: false }, [`Open: ${order.scope}.`])
    })

  maintenance
    .command('status')
    .description('what is closed')
    .action(async (_options, command: Command) => {
      const closures = await onDatabase(({ catalog }) => catalog.closures())
      const lines = tableOf(closures, {
        Closed: (one) => one.scope,
        Since: (one) => one.since.toISOString(),
        Why: (one) => one.reason,
        Until: (one) => one.until?.toISOString() ?? '',
        Told: (one) => one.notice ?? '',
      })
      print(command, { closures }, closures.length === 0 ? ['Everything is open.'] : lines)
    })
}

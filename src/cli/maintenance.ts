import type { Command } from 'commander'
import { endMaintenance, startMaintenance } from '../catalog/maintenance.ts'
import { readClosures } from '../catalog/store.ts'
import { onDatabase } from './session.ts'
import { actor, print, tableOf } from './terminal.ts'

/** `passerelle maintenance`: closes the interface or one service, and opens it again. */
export function addMaintenanceCommands(program: Command): void {
  const maintenance = program
    .command('maintenance')
    .description('close the interface or one service; requests then get 403')

  maintenance
    .command('on [service]')
    .description('close everything, or one service')
    .option('--reason <text>', 'why, for the audit log', 'not given')
    .action(async (scope: string | undefined, options, command: Command) => {
      const order = { scope: scope ?? 'all', reason: options.reason, actor: actor() }
      await onDatabase(({ db, clock }) => startMaintenance(db, clock, order))
      print(command, { scope: order.scope, isClosed: true }, [`Closed: ${order.scope}.`])
    })

  maintenance
    .command('off [service]')
    .description('open it again')
    .action(async (scope: string | undefined, _options, command: Command) => {
      const order = { scope: scope ?? 'all', actor: actor() }
      await onDatabase(({ db, clock }) => endMaintenance(db, clock, order))
      print(command, { scope: order.scope, isClosed: false }, [`Open: ${order.scope}.`])
    })

  maintenance
    .command('status')
    .description('what is closed')
    .action(async (_options, command: Command) => {
      const closures = await onDatabase(({ db }) => readClosures(db))
      const lines = tableOf(closures, {
        Closed: (one) => one.scope,
        Since: (one) => one.since.toISOString(),
        Why: (one) => one.reason,
      })
      print(command, { closures }, closures.length === 0 ? ['Everything is open.'] : lines)
    })
}

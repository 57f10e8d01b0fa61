import type { Command } from 'commander'
import { clientIdOf } from '../clients/clients.ts'
import { readAudit } from '../db/audit-log.ts'
import { onDatabase } from './session.ts'
import { print, tableOf, whole } from './terminal.ts'

/** `passerelle audit`: what operators did. */
export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('what operators did: clients, keys, money, decisions; newest first')
    .option('--client <client>', 'only about this client')
    .option('--limit <count>', 'at most so many', whole(1), 50)
    .option('--before <number>', 'only records before this one', whole(1))
    .action(async (options, command: Command) => {
      const { client, limit, before = null } = options
      const records = await onDatabase(async ({ db }) => {
        const clientId = client === undefined ? null : await clientIdOf(db, client)
        return readAudit(db, { clientId, before, limit })
      })
      const lines = tableOf(records, {
        Number: (one) => one.id,
        When: (one) => one.at.toISOString(),
        Who: (one) => one.actor,
        What: (one) => one.action,
        Client: (one) => one.clientId ?? '',
        Details: (one) => JSON.stringify(one.details),
      })
      print(command, { records }, lines)
    })
}

import type { Command } from 'commander'
import { onDatabase } from './session.ts'
import { counted, print, tableOf, whole } from './terminal.ts'

/** `passerelle audit`: what operators did, and where the chain over these records stands. */
export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('what operators did: clients, keys, money, decisions; newest first')
    .option('--client <client>', 'only about this client')
    .option('--limit <count>', 'at most this many', whole(1), 50)
    .option('--before <number>', 'only records before this one', whole(1))
    .action(async (options, command: Command) => {
      const { client, limit, before = null } = options
      const { records, chain } = await onDatabase(async ({ audit, clients }) => {
        const clientId = client === undefined ? null : await clients.idOf(client)
        const chain = await audit.chain()
        return { records: await audit.list({ clientId, before, limit }), chain }
      })
      const lines = tableOf(records, {
        Number: (one) => one.id,
        When: (one) => one.at.toISOString(),
        Who: (one) => one.actor,
        From: (one) => one.address ?? '',
        What: (one) => one.action,
        Client: (one) => one.clientId ?? '',
        Details: (one) => JSON.stringify(one.details),
      })
      const { number, hash, waiting } = chain
      const linked = `${counted(number, 'record')} in the chain, ${waiting} to be added`
      print(command, { records, chain }, [...lines, '', `${linked}, head ${hash}`])
    })
}

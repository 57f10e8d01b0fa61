import type { Command } from 'commander'
import { countUnlinked, readAuditHead } from '#data/db/audit-chain.ts'
import { readAudit } from '#data/db/audit-log.ts'
import { onDatabase } from './session.ts'
import { counted, print, tableOf, whole } from './terminal.ts'

/** `passerelle audit`: what operators did, and where the chain over these records stands. */
export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('what operators did: clients, keys, money, decisions; newest first')
    .option('--client <client>', 'only about this client')
    .option('--limit <count>', 'at most so many', whole(1), 50)
    .option('--before <number>', 'only records before this one', whole(1))
    .action(async (options, command: Command) => {
      const { client, limit, before = null } = options
      const { records, chain } = await onDatabase(async ({ clients, db }) => {
        const clientId = client === undefined ? null : await clients.idOf(client)
        const chain = { ...(await readAuditHead(db)), waiting: await countUnlinked(db) }
        return { records: await readAudit(db, { clientId, before, limit }), chain }
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

import type { Command } from 'commander'
import { plainPhone } from '#merchants/catalog/phone.ts'
import { onDatabase } from './session.ts'
import { actor, date, print, tableOf } from './terminal.ts'

/** `passerelle block`: numbers that nothing may be paid by or to. */
export function addBlockCommands(program: Command): void {
  const block = program
    .command('block')
    .description('block numbers: no payment by or to them begins, whoever the client is')

  block
    .command('add <number>')
    .description('block a number, in national or international form')
    .requiredOption('--reason <text>', 'why, for operators')
    .option('--country <code>', 'SN, ML, CI or CM, for a national number')
    .option('--until <time>', 'end of the block; default: none', date)
    .action(async (number: string, options, command: Command) => {
      const { reason, country = '', until = null } = options
      const blocked = await onDatabase(({ limits }) =>
        limits.block({ number, country, reason, expiresAt: until, actor: actor() }),
      )
      print(command, blocked, [`Blocked: ${written(blocked.phone)}.`])
    })

  block
    .command('list')
    .description('the numbers that are blocked, the newest first')
    .action(async (_options, command: Command) => {
      const blocked = await onDatabase(({ limits }) => limits.blocked())
      const lines = tableOf(blocked, {
        Number: (one) => written(one.phone),
        Since: (one) => one.blockedAt.toISOString(),
        Until: (one) => one.expiresAt?.toISOString() ?? '',
        By: (one) => one.actor,
        Why: (one) => one.reason,
      })
      print(command, { blocked }, blocked.length === 0 ? ['No number is blocked.'] : lines)
    })

  block
    .command('remove <number>')
    .description('end the block of a number')
    .option('--country <code>', 'SN, ML, CI or CM, for a national number')
    .action(async (number: string, options, command: Command) => {
      const { country = '' } = options
      const phone = await onDatabase(({ limits }) =>
        limits.unblock({ number, country, actor: actor() }),
      )
      print(command, { phone, isBlocked: false }, [`No longer blocked: ${written(phone)}.`])
    })
}

/** A blocked number with its country, as the dashboard writes it: SN 77 123 45 67. */
function written(phone: string): string {
  const country = phone.slice(0, 2)
  return `${country} ${plainPhone(phone.slice(2), `_${country}`)}`
}

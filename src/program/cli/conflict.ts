import type { Command } from 'commander'
import { onDomain } from './session.ts'
import { actor, francs, print, tableOf, whole } from './terminal.ts'

/** `passerelle conflict`: facts that contradict what was decided, until they are dealt with. */
export function addConflictCommands(program: Command): void {
  const conflict = program.command('conflict').description('what needs a person: see and close it')

  conflict
    .command('list')
    .description('open conflicts, oldest first')
    .option('--all', 'closed ones too', false)
    .option('--limit <count>', 'at most this many', whole(1), 1000)
    .action(async (options, command: Command) => {
      const conflicts = await onDomain(({ transactions }) =>
        transactions.unresolved.conflicts({ isAll: options.all, limit: options.limit }),
      )
      const lines = tableOf(conflicts, {
        Conflict: (one) => one.id,
        Since: (one) => one.at.toISOString(),
        Client: (one) => one.clientId,
        Transaction: (one) => one.transactionId,
        What: (one) => one.kind,
        Ordered: (one) => amountIn(one.details.amount),
        Reported: (one) => amountIn(one.details.reported),
        Details: (one) => JSON.stringify(one.details),
        Closed: (one) => (one.closedAt === null ? '' : `${one.closedBy}: ${one.closingReason}`),
      })
      print(command, { conflicts }, lines)
    })

  conflict
    .command('close <id>')
    .description('close a conflict that was dealt with; moves no money')
    .requiredOption('--reason <text>', 'what was done about it')
    .action(async (id: string, options, command: Command) => {
      const order = { id, reason: options.reason, actor: actor() }
      await onDomain(({ transactions }) => transactions.unresolved.closeConflict(order))
      print(command, { id, closed: true }, [`Conflict ${id} is closed.`])
    })
}

function amountIn(detail: unknown): string {
  return typeof detail === 'number' ? francs(detail) : ''
}

/** `passerelle suspense`: money that providers received and that belongs to no open order. */
export function addSuspenseCommand(program: Command): void {
  const suspense = program.command('suspense').description('money that belongs to no open order')

  suspense
    .command('list', { isDefault: true })
    .description('money in suspense by transaction, oldest first; send-back returns it')
    .action(async (_options, command: Command) => {
      const suspended = await onDomain(({ transactions }) => transactions.unresolved.suspense())
      const total = suspended.reduce((sum, one) => sum + one.amount, 0)
      const lines = tableOf(suspended, {
        Since: (one) => one.since.toISOString(),
        Client: (one) => one.clientId || '',
        Transaction: (one) => one.transactionId ?? '',
        'Statement, line': (one) => (one.clientId === 0 ? one.attempt.replace('/', ', ') : ''),
        Reference: (one) => one.reference ?? '',
        Amount: (one) => francs(one.amount),
      })
      print(command, { suspended, total }, [...lines, '', `In all ${francs(total)}`])
    })
}

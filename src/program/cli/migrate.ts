import type { Command } from 'commander'
import { onNewServer, onServer } from './session.ts'
import { print, tableOf } from './terminal.ts'

/** `passerelle migrate`: brings the schema up to date, or shows what that would do. */
export function addMigrateCommands(program: Command): void {
  const migrate = program.command('migrate').description('bring the database schema up to date')

  migrate
    .command('up')
    .description('apply what is pending')
    .action(async (_options, command: Command) => {
      const applied = await onNewServer((server) => server.migrate())
      const names = applied.map((migration) => migration.name)
      print(command, { applied: names }, [
        ...names.map((name) => `applied ${name}`),
        names.length === 0 ? 'The schema was up to date.' : 'The schema is up to date.',
      ])
    })

  migrate
    .command('status')
    .description('what was applied and what is pending')
    .action(async (_options, command: Command) => {
      const { applied, newer, pending } = await onServer((server) => server.status())
      const stateOf = (one: (typeof applied)[number]) =>
        `applied ${one.applied_at.toISOString()}${newer.includes(one) ? ' by a newer program' : ''}`
      const rows = [
        ...applied.map((one) => ({ ...one, state: stateOf(one) })),
        ...pending.map((one) => ({ ...one, state: 'pending' })),
      ]
      const value = { applied, pending: pending.map(({ name }) => name) }
      const lines = tableOf(rows, { Migration: (one) => one.name, State: (one) => one.state })
      print(command, value, lines)
    })

  migrate
    .command('plan')
    .description('the statements that `up` would run, without running them')
    .action(async (_options, command: Command) => {
      const { pending } = await onServer((server) => server.status())
      const value = { pending: pending.map(({ name, sql }) => ({ name, sql })) }
      const lines = pending.flatMap(({ name, sql }) => [`-- ${name}`, sql.trimEnd(), ''])
      print(command, value, lines.length === 0 ? ['-- Nothing to do.'] : lines)
    })
}

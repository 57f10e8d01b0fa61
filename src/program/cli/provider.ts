import type { Command } from 'commander'
import { providerTable } from './provider-status.ts'
import { onDatabase, onDomain } from './session.ts'
import { actor, print } from './terminal.ts'

/** `passerelle provider`: pauses, resumes and asks providers, and shows the figures of each. */
export function addProviderCommands(program: Command): void {
  const provider = program.command('provider').description('pause, resume, ask and watch providers')

  provider
    .command('pause <provider> <country>')
    .description('take no new orders for it; open ones are followed up')
    .option('--reason <text>', 'why, for the audit log', 'not given')
    .action(async (name: string, country: string, options, command: Command) => {
      const order = { provider: name, country, reason: options.reason, actor: actor() }
      await onDatabase(({ pauses }) => pauses.begin(order))
      print(command, { provider: name, country, isPaused: true }, [`Paused: ${name} ${country}.`])
    })

  provider
    .command('resume <provider> <country>')
    .description('take orders for it again')
    .action(async (name: string, country: string, _options, command: Command) => {
      const order = { provider: name, country, actor: actor() }
      await onDatabase(({ pauses }) => pauses.end(order))
      print(command, { provider: name, country, isPaused: false }, [`Open: ${name} ${country}.`])
    })

  provider
    .command('requery <provider> <country>')
    .description('ask it about its open orders now, oldest first')
    .action(async (name: string, country: string, _options, command: Command) => {
      const order = { provider: name, country, actor: actor() }
      const asked = await onDomain(({ transactions }) => transactions.requeryProvider(order))
      print(command, { provider: name, country, asked }, [
        `${asked} open orders of ${name} ${country} are brought forward: the gateway asks now.`,
      ])
    })

  provider
    .command('status')
    .description('breaker, answers, success and open orders of each provider')
    .action(async (_options, command: Command) => {
      const states = await onDomain(({ health }) => health.providers())
      print(command, states, providerTable(states))
    })
}

import type { Command } from 'commander'
import { onDomain } from './session.ts'
import { actor, francs, print, tableOf, whole } from './terminal.ts'

/** `passerelle float`: what providers hold for us, and when that is too little. */
export function addFloatCommands(program: Command): void {
  const float = program
    .command('float')
    .description('what providers hold for us, from which they pay out')

  float
    .command('list')
    .description('the last known balance at each provider')
    .action(async (_options, command: Command) => {
      const floats = await onDomain(({ floats: room }) => room.list())
      const lines = tableOf(floats, {
        Provider: (one) => `${one.provider} ${one.country}`,
        State: (one) => one.state,
        Balance: (one) => amount(one.balance),
        From: (one) => one.source ?? '',
        At: (one) => one.knownAt?.toISOString() ?? '',
        'Warning below': (one) => amount(one.warnBelow),
        'Alarm below': (one) => amount(one.alarmBelow),
        'Last declined': (one) => one.declinedAt?.toISOString() ?? '',
        Problem: (one) => one.problem ?? '',
      })
      print(command, { floats }, floats.length === 0 ? ['Nothing is known yet.'] : lines)
    })

  float
    .command('set <provider> <country>')
    .description('set thresholds, or the balance of a provider that does not tell it')
    .option('--warn <francs>', 'warn below this; 0: never', whole(0))
    .option('--alarm <francs>', 'alarm below this; 0: never', whole(0))
    .option('--balance <francs>', 'what the provider holds now, by its own records', whole(0))
    .action(async (provider: string, country: string, options, command: Command) => {
      const { warn, alarm, balance } = options
      if (warn === undefined && alarm === undefined && balance === undefined)
        command.error('error: at least one of --warn, --alarm and --balance is needed')
      const values = { warnBelow: threshold(warn), alarmBelow: threshold(alarm), balance }
      await onDomain(({ floats }) => floats.set({ provider, country, ...values, actor: actor() }))
      print(command, { provider, country, ...values }, [`Set: ${provider} ${country}.`])
    })
}

function amount(value: number | null): string {
  return value === null ? '' : francs(value)
}

/** A threshold of 0 is none. */
function threshold(value: number | undefined): number | null | undefined {
  return value === 0 ? null : value
}

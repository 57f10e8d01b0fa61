import type { Command } from 'commander'
import { services } from '../catalog/services.ts'
import { after } from '../kit/clock.ts'
import { readPauses } from '../providers/pause-store.ts'
import { pauseProvider, resumeProvider } from '../providers/pauses.ts'
import { readProviderFigures } from '../transactions/timeline-store.ts'
import { onDatabase } from './session.ts'
import { actor, print, tableOf } from './terminal.ts'

const hourMs = 3_600_000

/** `passerelle provider`: pauses and resumes providers, and shows the figures of each. */
export function addProviderCommands(program: Command): void {
  const provider = program.command('provider').description('pause, resume and watch providers')

  provider
    .command('pause <provider> <country>')
    .description('take no new orders for it; open ones are followed up')
    .option('--reason <text>', 'why, for the audit log', 'not given')
    .action(async (name: string, country: string, options, command: Command) => {
      const order = { provider: name, country, reason: options.reason, actor: actor() }
      await onDatabase(({ db, clock }) => pauseProvider(db, clock, order))
      print(command, { provider: name, country, isPaused: true }, [`Paused: ${name} ${country}.`])
    })

  provider
    .command('resume <provider> <country>')
    .description('take orders for it again')
    .action(async (name: string, country: string, _options, command: Command) => {
      const order = { provider: name, country, actor: actor() }
      await onDatabase(({ db, clock }) => resumeProvider(db, clock, order))
      print(command, { provider: name, country, isPaused: false }, [`Open: ${name} ${country}.`])
    })

  provider
    .command('status')
    .description('open orders, success over the last hour and pauses, for each provider')
    .action(async (_options, command: Command) => {
      const providers = await onDatabase(async ({ db, clock }) => {
        const figures = await readProviderFigures(db, after(clock.now(), -hourMs))
        const pauses = await readPauses(db)
        return allProviders().map(({ provider: name, country }) => {
          const isSame = (one: { provider: string; country: string }) =>
            one.provider === name && one.country === country
          const {
            open = 0,
            oldestOpenAt = null,
            succeeded = 0,
            ended = 0,
          } = figures.find(isSame) ?? {}
          const isPaused = pauses.some(isSame)
          return { provider: name, country, isPaused, open, oldestOpenAt, succeeded, ended }
        })
      })
      const lines = tableOf(providers, {
        Provider: (one) => one.provider,
        Country: (one) => one.country,
        State: (one) => (one.isPaused ? 'paused' : 'open'),
        Open: (one) => one.open,
        'Oldest open': (one) => one.oldestOpenAt?.toISOString() ?? '',
        Success: ({ ended, succeeded }) =>
          ended === 0 ? '' : `${Math.round((100 * succeeded) / ended)} %`,
        Ended: (one) => one.ended,
      })
      print(command, { providers }, lines)
    })
}

function allProviders(): { provider: string; country: string }[] {
  const seen = new Map(
    services.map(({ provider, country }) => [`${provider} ${country}`, { provider, country }]),
  )
  return [...seen.values()]
}

import type { Command } from 'commander'
import { openLog } from '#base/log/log.ts'
import { openRetention, type ShownRule } from '#operations/retention/open.ts'
import type { RoundResult } from '#operations/retention/round.ts'
import { withKeptKeys } from '#operations/secrets/kept-keys.ts'
import { onDatabase, type Session } from './session.ts'
import { counted, print, tableOf } from './terminal.ts'

/** `passerelle retention`: what is kept how long, and forgetting it now. */
export function addRetentionCommands(program: Command): void {
  const retention = program
    .command('retention')
    .description('what is kept how long, and what was forgotten')

  retention
    .command('show')
    .description('each rule, its last round and what it has forgotten')
    .action(async (_options, command: Command) => {
      const rules = await onDatabase(async (session) => (await open(session)).show())
      print(command, { rules }, tableOf(rules, columns))
    })

  retention
    .command('run')
    .description('forget now what may be forgotten, instead of once an hour')
    .option('--dry-run', 'forget nothing, and tell what would be')
    .action(async ({ dryRun = false }: { dryRun?: boolean }, command: Command) => {
      const results = await onDatabase(async (session) =>
        (await open(session)).run({ isEarly: true, isDry: dryRun }),
      )
      print(
        command,
        { isDryRun: dryRun, rules: Object.fromEntries(results) },
        [...results].map(([name, result]) => `${name}: ${sentenceOf(result, dryRun)}`),
      )
    })
}

async function open({ db, clock, config }: Session) {
  const { retention: settings } = config
  const secretKey = await withKeptKeys(db, config.secretKey)
  return openRetention({ db, clock, log: openLog('silent'), secretKey, settings })
}

const columns: Record<string, (rule: ShownRule) => string | number> = {
  Rule: ({ name }) => name,
  After: ({ days }) => (days === null ? 'never' : counted(days, 'day')),
  Setting: ({ setting }) => setting ?? '',
  'Last round': ({ state }) => state?.endedAt?.toISOString() ?? 'none yet',
  Forgotten: ({ state }) => state?.forgotten ?? 0,
  'In all': ({ state }) => state?.forgottenInAll ?? 0,
  'Still needed': ({ left }) => left,
}

function sentenceOf(result: RoundResult, isDry: boolean): string {
  if (result.kind === 'off') return 'never forgotten'
  if (result.kind === 'busy') return 'another process works on it'
  return `${result.forgotten} ${isDry ? 'would be ' : ''}forgotten`
}

import { type Command, Option } from 'commander'
import { languages } from '#base/kit/language.ts'
import { writeCsv } from '#formats/tables/write-csv.ts'
import { fileOf } from '#operations/retention/file.ts'
import type { ShownRule } from '#operations/retention/open.ts'
import type { RoundResult } from '#operations/retention/round.ts'
import { printRequested } from './approval.ts'
import { addByOptions, readAsker } from './asker.ts'
import { onDomain } from './session.ts'
import { actor, counted, print, tableOf, writeFile } from './terminal.ts'

/** `passerelle retention`: what is kept how long, and forgetting it now. */
export function addRetentionCommands(program: Command): void {
  const retention = program
    .command('retention')
    .description('how long data is kept, and what was erased')

  retention
    .command('show')
    .description('each rule, its last run and what it has erased')
    .action(async (_options, command: Command) => {
      const rules = await onDomain(({ retention: room }) => room.show())
      print(command, { rules }, tableOf(rules, columns))
    })

  retention
    .command('run')
    .description('erase now what is due, instead of once an hour')
    .option('--dry-run', 'erase nothing, and tell what would be erased')
    .action(async ({ dryRun = false }: { dryRun?: boolean }, command: Command) => {
      const results = await onDomain(({ retention: room }) =>
        room.run({ isEarly: true, isDry: dryRun }),
      )
      print(
        command,
        { isDryRun: dryRun, rules: Object.fromEntries(results) },
        [...results].map(([name, result]) => `${name}: ${sentenceOf(result, dryRun)}`),
      )
    })

  addNumberCommands(retention)
}

function addNumberCommands(retention: Command): void {
  onNumber(retention, 'export')
    .description('what a payer’s number took part in, as a CSV file')
    .addOption(new Option('--language <language>').choices(languages).default('fr'))
    .option('--output <file>', 'write it there instead of standard output')
    .action(async ({ language, output, ...asked }) => {
      const found = await onDomain(({ numbers }) => numbers.export(asked, actor()))
      await writeFile(writeCsv(fileOf(found, language)), output)
    })

  addByOptions(onNumber(retention, 'forget'))
    .description('forget a payer’s number before its time, once a second person approves it')
    .requiredOption('--reason <text>', 'the payer’s request, without the number')
    .action(async (options, command: Command) => {
      const requested = await onDomain(async ({ numbers, people }) => {
        const asker = await readAsker(people, options, 'ops.number.forget')
        return numbers.forget(options, asker)
      })
      printRequested(command, requested)
    })
}

/** A command about one number. */
function onNumber(retention: Command, name: string): Command {
  return retention
    .command(name)
    .requiredOption('--number <number>', 'in national or international form')
    .option('--country <code>', 'SN, ML, CI or CM, for a national number')
}

const columns: Record<string, (rule: ShownRule) => string | number> = {
  Rule: ({ name }) => name,
  After: ({ days }) => (days === null ? 'never' : counted(days, 'day')),
  Setting: ({ setting }) => setting ?? '',
  'Last run': ({ state }) => state?.endedAt?.toISOString() ?? 'none yet',
  Erased: ({ state }) => state?.forgotten ?? 0,
  'In all': ({ state }) => state?.forgottenInAll ?? 0,
  'Still needed': ({ left }) => left,
}

function sentenceOf(result: RoundResult, isDry: boolean): string {
  if (result.kind === 'off') return 'never erased'
  if (result.kind === 'busy') return 'another process works on it'
  return `${result.forgotten} ${isDry ? 'would be ' : ''}erased`
}

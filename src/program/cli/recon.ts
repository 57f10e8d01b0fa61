import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import { type CaseFilter, caseKinds, caseStates } from '#backoffice/recon/cases/case.ts'
import {
  type LineProblem,
  sentenceOf,
  UnreadableStatement,
} from '#backoffice/recon/import/import.ts'
import { countsOf } from '#backoffice/recon/import/statement.ts'
import { type Language, languages } from '#base/kit/language.ts'
import { sentence } from '#edge/wire/error.ts'
import { writeCsv } from '#formats/tables/write-csv.ts'
import { writePdf } from '#formats/tables/write-pdf.ts'
import { writeXlsx } from '#formats/tables/write-xlsx.ts'
import { addByOptions, readPerson } from './asker.ts'
import { addMendCommands } from './recon-mend.ts'
import { addPreview, parsed, readJson, refuseDoubts, sizeOf } from './recon-preview.ts'
import { caseTable, importLines, showLines, statementTable } from './recon-text.ts'
import { onDomain } from './session.ts'
import {
  actor,
  date,
  isJson,
  print,
  startProgress,
  whole,
  writeAside,
  writeFile,
} from './terminal.ts'

/** `passerelle recon`: statements of providers against our records. */
export function addReconCommands(program: Command): void {
  const recon = program
    .command('recon')
    .description('statements of providers: import them, see and resolve what differs')
  addImport(recon)
  addPreview(recon)
  addList(recon)
  addShow(recon)
  addCases(recon)
  addMendCommands(recon)
  addReport(recon)
  addMapping(recon)
}

function addImport(recon: Command): void {
  addByOptions(recon.command('import <file>'))
    .description('read a CSV, XLSX or camt.053 file; exits with 2 if it cannot be understood')
    .requiredOption('--provider <provider>', 'such as WALLETA')
    .requiredOption('--country <country>', 'such as SN')
    .option('--from <time>', 'the start of the period it covers', date)
    .option('--to <time>', 'its end', date)
    .option('--sure', 'you have checked a file that is doubtful', false)
    .action(async (path: string, options, command: Command) => {
      const bytes = await sizeOf(path)
      const progress = startProgress('Reading', isJson(command))
      const onProblem = (one: LineProblem) => {
        if (!isJson(command)) writeAside(`passerelle: ${sentence(sentenceOf(one), 'en')}\n`)
      }
      try {
        const done = await onDomain(async ({ recon: room, people }) => {
          const person = await readPerson(people, 'ops.recon.import', options)
          if (!options.sure) await refuseDoubts(room, options, path)
          return room.import({
            ...options,
            name: basename(path),
            file: createReadStream(path),
            bytes,
            actor: person,
            onProblem,
            onProgress: (share) => progress.report(share, 1000),
          })
        })
        progress.end()
        print(command, countsOf(done), importLines(done))
      } catch (problem) {
        progress.end()
        if (!(problem instanceof UnreadableStatement)) throw problem
        printUnreadable(problem, isJson(command))
      }
    })
}

/** The problems themselves were printed as they were found. */
function printUnreadable({ problems, count }: UnreadableStatement, asJson: boolean): void {
  const message = problems.map((one) => sentence(sentenceOf(one), 'en'))
  const text = asJson
    ? JSON.stringify({ success: false, code: 'VALIDATION_FAILED', message, count })
    : `passerelle: ${count} problems: nothing was imported.`
  writeAside(`${text}\n`)
  process.exitCode = 2
}

function addList(recon: Command): void {
  recon
    .command('list')
    .description('statements, newest first')
    .option('--provider <provider>', 'only of this one')
    .option('--country <country>', 'only in this one')
    .option('--limit <count>', 'at most this many', whole(1), 20)
    .action(async (options, command: Command) => {
      const statements = await onDomain(({ recon: room }) => room.list(options))
      print(command, { statements }, statementTable(statements))
    })
}

function addShow(recon: Command): void {
  recon
    .command('show <id>')
    .description('a statement: its counts, and its balance against our ledger')
    .action(async (id: string, _options, command: Command) => {
      const shown = await onDomain(async ({ recon: room }) => {
        const statement = await room.get(id)
        const balance = statement.state === 'read' ? await room.balance(statement) : null
        const cases = await room.cases({ statementId: id, isUnclosed: true }, { limit: 100 })
        return { statement, balance, cases }
      })
      print(command, shown, showLines(shown))
    })
}

function filtered(command: Command): Command {
  return command
    .option('--provider <provider>', 'only of this one')
    .option('--country <country>', 'only in this one')
    .option('--statement <id>', 'only of this one')
    .addOption(new Option('--kind <kind>').choices(caseKinds))
    .addOption(new Option('--state <state>').choices(caseStates))
    .option('--person <email>', 'that this person looks into')
    .option('--search <text>', 'a reference, an id or a number, as a whole')
    .option('--all', 'closed ones too', false)
}

function filterOf(options: Record<string, string> & { all: boolean }): CaseFilter {
  const { statement: statementId, search: text, all, provider, country, ...rest } = options
  const { kind, state, person } = rest
  const filter = { provider, country, statementId, kind, state, person, text, isUnclosed: !all }
  return filter as CaseFilter
}

function addCases(recon: Command): void {
  filtered(recon.command('cases'))
    .description('differences that are not closed, newest first')
    .option('--limit <count>', 'at most this many', whole(1), 100)
    .action(async (options, command: Command) => {
      const shown = await onDomain(async ({ recon: room }) => ({
        cases: await room.cases(filterOf(options), { limit: options.limit }),
        ages: await room.ages(options),
      }))
      print(command, shown, caseTable(shown.cases))
    })
}

const writers = { csv: writeCsv, xlsx: writeXlsx, pdf: writePdf }

function addReport(recon: Command): void {
  filtered(recon.command('report'))
    .description('differences as a file')
    .addOption(new Option('--form <form>').choices(Object.keys(writers)).default('csv'))
    .addOption(new Option('--language <language>').choices(languages).default('fr'))
    .option('--output <file>', 'write it there instead of standard output')
    .action(async (options) => {
      await onDomain(async ({ recon: room }) => {
        const { form, language }: { form: keyof typeof writers; language: Language } = options
        const blocks = writers[form](await room.report(filterOf(options), language, form))
        await writeFile(blocks, options.output)
      })
    })
}

function addMapping(recon: Command): void {
  const mapping = recon
    .command('mapping')
    .description('how the files of a provider are read, and which fees it is to take')

  mapping
    .command('list')
    .description('all that are kept')
    .action(async (_options, command: Command) => {
      const mappings = await onDomain(({ recon: room }) => room.mappings())
      print(command, { mappings }, [JSON.stringify(mappings, null, 2)])
    })

  mapping
    .command('set <provider> <country>')
    .description('keep a mapping or fees for the files of a provider')
    .option('--file <file>', 'the mapping, as JSON')
    .option('--fees <json>', 'by kind of line: {"collect":{"basisPoints":100,"fixed":0}}')
    .option('--remove', 'forget the mapping: files are understood by themselves', false)
    .action(async (provider: string, country: string, options, command: Command) => {
      const { file, fees, remove } = options
      if (file === undefined && fees === undefined && !remove)
        command.error('error: one of --file, --fees and --remove is needed')
      const content = remove ? null : file && (await readJson(file))
      const order = { provider, country, content, fees: fees && parsed(fees, '--fees') }
      const saved = await onDomain(({ recon: room }) =>
        room.saveMapping({ ...order, actor: actor() }),
      )
      print(command, saved, [`Kept: ${provider} ${country}.`])
    })
}

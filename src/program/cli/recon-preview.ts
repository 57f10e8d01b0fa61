import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Survey } from '#backoffice/recon/import/file.ts'
import { sentenceOf } from '#backoffice/recon/import/import.ts'
import type { Recon } from '#backoffice/recon/open.ts'
import { Problem } from '#base/kit/problem.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { sentence } from '#edge/wire/error.ts'
import type { StatementPreview } from '#formats/statements/preview.ts'
import { onDomain } from './session.ts'
import { counted, francs, print, tableOf } from './terminal.ts'

/** `passerelle recon preview`: what would be understood of a file. */
export function addPreview(recon: Command): void {
  recon
    .command('preview <file>')
    .description('what would be understood of a file, and a mapping that its titles suggest')
    .requiredOption('--provider <provider>', 'such as WALLETA')
    .requiredOption('--country <country>', 'such as SN')
    .option('--mapping <file>', 'try this mapping instead of the one that is kept')
    .option('--proposal', 'print only the mapping that is suggested', false)
    .action(async (path: string, options, command: Command) => {
      const { provider, country, mapping, proposal } = options
      const content = mapping === undefined ? undefined : await readJson(mapping)
      await sizeOf(path)
      const { survey, ...found } = await onDomain(async ({ recon: room }) => {
        const head = { provider, country, content }
        const preview = await room.preview({ ...head, file: createReadStream(path) })
        const { problems, lines } = preview
        const isRead = problems.length === 0 && preview.proposal === null && lines.length > 0
        if (!isRead || proposal) return { ...preview, survey: null }
        return { ...preview, survey: await room.survey({ ...head, file: createReadStream(path) }) }
      })
      const suggested = JSON.stringify(found.proposal ?? found.mapping, null, 2)
      const text = [...previewLines(found), ...(survey === null ? [] : surveyLines(survey))]
      print(command, { ...found, survey }, proposal ? [suggested] : text)
    })
}

/** How many bytes a file has; refuses one that cannot be read. */
export async function sizeOf(path: string): Promise<number> {
  const { size } = await stat(path).catch((thrown: Error) => {
    throw new Problem(`The file cannot be read: ${thrown.message}.`)
  })
  return size
}

/** A file of JSON. */
export async function readJson(path: string): Promise<never> {
  const text = await readFile(path, 'utf8').catch((thrown: Error) => {
    throw new Problem(`The file cannot be read: ${thrown.message}.`)
  })
  return parsed(text, path)
}

/** A text of JSON; `where` names it in the refusal. */
export function parsed(text: string, where: string): never {
  try {
    return JSON.parse(text) as never
  } catch {
    throw new Problem(`${where} is not JSON.`)
  }
}

/** Refuses a file that a person should look at again before it is imported. */
export async function refuseDoubts(
  room: Recon,
  order: Omit<Parameters<Recon['survey']>[0], 'file'>,
  path: string,
): Promise<void> {
  const survey = await room
    .survey({ ...order, file: createReadStream(path) })
    .catch((problem: unknown) => {
      // The import says what is wrong with a file that cannot be read.
      if (problem instanceof Refusal) return undefined
      throw problem
    })
  if (survey === undefined || survey.problems > 0 || survey.doubts.length === 0) return
  const doubts = survey.doubts.map((one) => doubtWords[one])
  throw new Problem(
    [...doubts, 'Nothing was imported: check the file, then give --sure.'].join('\n'),
  )
}

const doubtWords: Record<Survey['doubts'][number], string> = {
  few_match: 'Few payments of this file are ours: is it this provider, and this country?',
  wide: 'A few lines are far from all others and make the time longer: are their dates right?',
  balance: 'Opening balance and lines do not come to the closing balance: is the file whole?',
}

/** What an import would be, of the whole file. */
function surveyLines(survey: Survey): string[] {
  const { lines, from, to, paidIn, paidOut, fees, asked, matched } = survey
  const { problems, opening, closing, unexplained, doubts } = survey
  return [
    '',
    `An import would have ${counted(lines, 'line')}, ${counted(problems, 'problem')}`,
    ...(from === null || to === null ? [] : [`from ${from} to ${to}`]),
    `${francs(paidIn)} in, ${francs(paidOut)} out, ${francs(fees)} of fees`,
    ...(opening === null ? [] : [`Opening balance: ${francs(opening)}`]),
    ...(closing === null ? [] : [`Closing balance: ${francs(closing)}`]),
    ...(unexplained === 0 ? [] : [`Closing less opening and lines: ${francs(unexplained)}`]),
    ...(asked === 0 ? [] : [`${matched} of ${asked} payments are ours`]),
    ...doubts.map((one) => doubtWords[one]),
  ]
}

function previewLines(found: StatementPreview): string[] {
  const { columns, lines, problems, skipped, undecided, opening, closing } = found
  return [
    `${found.format || 'No statement'}${found.isWhole ? '' : ', its beginning'}`,
    ...tableOf(columns, {
      Column: (one) => one.letter,
      Title: (one) => one.title,
      Means: (one) => one.meaning ?? '-',
      Example: (one) => one.example,
    }),
    ...tableOf(lines, {
      Line: (one) => one.line,
      At: (one) => one.at.toISOString(),
      Kind: (one) => one.kind,
      Reference: (one) => one.reference ?? '',
      'Our reference': (one) => one.ourReference ?? '',
      Amount: (one) => francs(one.sign * one.amount),
      Fee: (one) => francs(one.fee),
      Status: (one) => one.status,
    }),
    ...(opening === null ? [] : [`Opening balance: ${francs(opening)}`]),
    ...(closing === null ? [] : [`Closing balance: ${francs(closing)}`]),
    ...skipped.map((one) => sentence(sentenceOf(one), 'en')),
    `${counted(problems.length, 'problem')}${problems.length > 0 ? ':' : ''}`,
    ...problems.map((one) => sentence(sentenceOf(one), 'en')),
    ...(found.proposal === null ? [] : ['A mapping is suggested: see it with --proposal.']),
    ...undecided.map((one) => sentence(one, 'en')),
  ]
}

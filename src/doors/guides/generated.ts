import type { Language } from '#base/kit/language.ts'
import { errorTable } from '#edge/http/error-guide.ts'
import { failureRows } from '#edge/wire/failure.ts'
import {
  type DemoNumber,
  demoBills,
  demoMeters,
  demoPhones,
} from '#merchants/catalog/demo-numbers.ts'
import { services } from '#merchants/catalog/services.ts'

type Writer = (language: Language) => string

/** What guides show of the program's own tables, as Markdown: it cannot be out of date. */
const writers: Record<string, Writer> = {
  errors: errorTable,
  failures: failureTable,
  phones: (language) => numberTable(language, demoPhones),
  bills: (language) => numberTable(language, demoBills),
  meters: (language) => numberTable(language, demoMeters),
  services: serviceTable,
}

/** The text of a guide, with each `<!-- generated: name -->` replaced by its table. */
export function fillIn(text: string, language: Language): string {
  return text.replaceAll(/^<!-- generated: (\w+) -->$/gm, (_, name: string) => {
    const write = writers[name]
    if (write === undefined) throw new Error(`no table is called ${name}`)
    return write(language)
  })
}

function failureTable(language: Language): string {
  const words = {
    fr: { head: ['Code', 'Ce que lit le client', 'Réessayer ?'], yes: 'oui', no: 'non' },
    en: { head: ['Code', 'What it says', 'Try again?'], yes: 'yes', no: 'no' },
  }[language]
  const rows = failureRows(language).map(({ code, message, retryable }) => [
    `\`${code}\``,
    message,
    retryable ? words.yes : words.no,
  ])
  return table(words.head, rows)
}

function numberTable(language: Language, numbers: DemoNumber[]): string {
  const head = { fr: ['Numéro', 'Ce qui se passe'], en: ['Number', 'What happens'] }[language]
  return table(
    head,
    numbers.map((one) => [`\`${one.number}\``, one[language]]),
  )
}

function serviceTable(language: Language): string {
  const head = { fr: ['Pays', 'Codes de service'], en: ['Country', 'Service codes'] }[language]
  const byCountry = Map.groupBy(services, ({ country }) => country)
  return table(
    head,
    [...byCountry].map(([country, ones]) => [
      country,
      ones.map(({ code }) => `\`${code}\``).join(' '),
    ]),
  )
}

function table(head: string[], rows: string[][]): string {
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function line(cells: string[]): string {
  return `| ${cells.join(' | ')} |`
}

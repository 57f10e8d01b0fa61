import { lastId } from '#base/kit/ids.ts'
import type { Language } from '#base/kit/language.ts'
import { formatAmount } from '#base/kit/money.ts'
import { type OutputColumn, type Value, wallTime } from '#formats/tables/output.ts'
import type { PrintedTable } from '#formats/tables/write-pdf.ts'
import { type Country, countries } from '#merchants/catalog/countries.ts'
import type { ReconContext } from '../context.ts'
import { type Age, type Case, type CaseFilter, caseKinds } from './case.ts'
import { readAges } from './case-store.ts'
import { listCases } from './filter-store.ts'
import { caseWords } from './words.ts'

const reportColumns: [en: string, fr: string, kind: OutputColumn['kind'], width: number][] = [
  ['Opened', 'Ouvert', 'moment', 20],
  ['Provider', 'Prestataire', 'text', 10],
  ['Country', 'Pays', 'text', 6],
  ['Statement', 'Relevé', 'text', 24],
  ['Line', 'Ligne', 'whole', 8],
  ['Difference', 'Écart', 'text', 22],
  ['Amount', 'Montant', 'money', 14],
  ['State', 'État', 'text', 22],
  ['Their amount', 'Leur montant', 'money', 14],
  ['Our amount', 'Notre montant', 'money', 14],
  ['Their status', 'Leur statut', 'text', 12],
  ['Our status', 'Notre statut', 'text', 12],
  ['Their reference', 'Leur référence', 'text', 24],
  ['Transaction', 'Transaction', 'text', 36],
  ['Person', 'Personne', 'text', 24],
  ['Closed', 'Fermé', 'moment', 20],
  ['How', 'Comment', 'text', 34],
  ['Why', 'Pourquoi', 'text', 40],
]

// A page of paper is too narrow for all of them.
const printedColumns = new Set(['Opened', 'Provider', 'Statement', 'Line', 'Difference', 'Amount'])
for (const title of ['State', 'Their status', 'Our status', 'Their reference', 'Person'])
  printedColumns.add(title)

/** The differences that pass a filter, as a file. Rows are read while they are written. */
export async function reportTable(
  context: ReconContext,
  filter: CaseFilter,
  language: Language,
  form: 'csv' | 'xlsx' | 'pdf',
): Promise<PrintedTable> {
  const chosen = reportColumns.flatMap(([en], index) =>
    form !== 'pdf' || printedColumns.has(en) ? [index] : [],
  )
  const columns = reportColumns.map(
    ([en, fr, kind, width]): OutputColumn => ({ title: { en, fr }[language], kind, width }),
  )
  const only = <T>(all: T[]) => chosen.flatMap((index) => all.slice(index, index + 1))
  const title = { fr: 'Écarts avec les relevés', en: 'Differences from statements' }[language]
  const { db, clock } = context
  const now = clock.now()
  // As the statements of that country say it.
  const { timeZone } = countries[filter.country as Country] ?? {}
  const zone = timeZone === undefined ? {} : { timeZone }
  return {
    title,
    columns: only(columns),
    rows: reportRows(context, filter, language, only),
    subtitles: [`${filter.provider ?? ''} ${filter.country ?? ''}`.trim(), wallTime(now, timeZone)],
    summary: summaryOf(await readAges(db, now, filter), language),
    language,
    ...zone,
  }
}

/** How many differences are not closed, and their francs, by kind. */
function summaryOf(ages: Age[], language: Language): [string, string][] {
  return caseKinds.flatMap((kind): [string, string][] => {
    const own = ages.filter((one) => one.kind === kind)
    const count = own.reduce((sum, one) => sum + one.count, 0)
    const amount = own.reduce((sum, one) => sum + one.amount, 0)
    return count === 0
      ? []
      : [[caseWords[language].kinds[kind], `${count} · ${formatAmount(amount)}`]]
  })
}

const readAtOnce = 500

async function* reportRows(
  { db }: ReconContext,
  filter: CaseFilter,
  language: Language,
  only: (row: Value[]) => Value[],
): AsyncGenerator<Value[]> {
  let below = lastId
  for (;;) {
    const cases = await listCases(db, filter, { below, limit: readAtOnce })
    for (const one of cases) yield only(reportRow(one, language))
    if (cases.length < readAtOnce) return
    below = cases.at(-1)?.id ?? below
  }
}

function reportRow(one: Case, language: Language): Value[] {
  const { theirs, ours } = one.details
  const words = caseWords[language]
  return [
    one.openedAt,
    one.provider,
    one.country,
    one.statementName,
    one.line,
    words.kinds[one.kind],
    one.amount,
    words.states[one.state],
    theirs?.amount ?? null,
    ours?.amount ?? null,
    theirs?.status ?? '',
    ours?.status ?? '',
    theirs?.reference ?? '',
    one.transactionId ?? '',
    one.person ?? '',
    one.closedAt,
    one.closing === null ? '' : words.closings[one.closing],
    one.reason ?? '',
  ]
}

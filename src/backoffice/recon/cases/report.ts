import { lastId } from '#base/kit/ids.ts'
import type { Language } from '#base/kit/language.ts'
import { formatAmount } from '#base/kit/money.ts'
import { type OutputColumn, type Value, wallTime } from '#formats/tables/output.ts'
import type { PrintedTable } from '#formats/tables/write-pdf.ts'
import { type Country, countries } from '#merchants/catalog/countries.ts'
import type { ReconContext } from '../context.ts'
import { findStatement } from '../import/statement-store.ts'
import { type Age, type Case, type CaseFilter, caseKinds } from './case.ts'
import { readAges } from './case-store.ts'
import { listCases } from './filter-store.ts'
import { caseWords } from './words.ts'
import { gatewayActor } from './write-verdicts.ts'

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
  ['Moment', 'Moment', 'text', 20],
  ['Number', 'Numéro', 'text', 16],
  ['Merchant', 'Marchand', 'whole', 10],
  ['Person', 'Personne', 'text', 24],
  ['Closed', 'Fermé', 'moment', 20],
  ['How', 'Comment', 'text', 34],
  ['Why', 'Pourquoi', 'text', 40],
]

// A page of paper is too narrow for all of them.
const printedColumns = new Set(['Opened', 'Provider', 'Statement', 'Line', 'Difference', 'Amount'])
for (const title of ['State', 'Their status', 'Our status', 'Their reference', 'Person', 'Moment'])
  printedColumns.add(title)

/** The differences that pass a filter, as a file. Rows are read while they are written. */
export async function reportTable(
  context: ReconContext,
  filter: CaseFilter,
  language: Language,
  form: 'csv' | 'xlsx' | 'pdf',
): Promise<PrintedTable> {
  // As the statements of that country say it.
  const country = filter.country ?? (await countryOf(context, filter))
  const { timeZone } = countries[country as Country] ?? {}
  const chosen = reportColumns.flatMap(([en], index) =>
    form !== 'pdf' || printedColumns.has(en) ? [index] : [],
  )
  const columns = reportColumns.map(([en, fr, kind, width]): OutputColumn => {
    const title = { en, fr }[language]
    const isMoment = kind === 'moment' || en === 'Moment'
    return { title: isMoment ? `${title} (${timeZone ?? 'UTC'})` : title, kind, width }
  })
  const only = <T>(all: T[]) => chosen.flatMap((index) => all.slice(index, index + 1))
  const title = { fr: 'Écarts avec les relevés', en: 'Differences from statements' }[language]
  const { db, clock } = context
  const now = clock.now()
  const zone = timeZone === undefined ? {} : { timeZone }
  return {
    title,
    columns: only(columns),
    rows: reportRows(context, filter, { language, timeZone }, only),
    subtitles: [
      `${filter.provider ?? ''} ${country ?? ''}`.trim(),
      `${wallTime(now, timeZone)} (${timeZone ?? 'UTC'})`,
    ],
    summary: summaryOf(await readAges(db, now, filter), language),
    language,
    ...zone,
  }
}

interface Shown {
  language: Language
  timeZone: string | undefined
}

/** The country of the statement that is asked for. */
async function countryOf({ db }: ReconContext, { statementId }: CaseFilter) {
  return statementId && (await findStatement(db, statementId))?.country
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
  how: Shown,
  only: (row: Value[]) => Value[],
): AsyncGenerator<Value[]> {
  let below = lastId
  for (;;) {
    const cases = await listCases(db, filter, { below, limit: readAtOnce })
    for (const one of cases) yield only(reportRow(one, how))
    if (cases.length < readAtOnce) return
    below = cases.at(-1)?.id ?? below
  }
}

function reportRow(one: Case, { language, timeZone }: Shown): Value[] {
  const { theirs, ours } = one.details
  const words = caseWords[language]
  const { at, isDay = false } = theirs ?? ours ?? {}
  const told = at === undefined ? '' : wallTime(new Date(at), timeZone)
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
    isDay ? told.slice(0, 10) : told,
    theirs?.phone ?? ours?.phone ?? '',
    one.clientId,
    one.person ?? '',
    one.closedAt,
    one.closing === null ? '' : words.closings[one.closing],
    // What closed by itself says how, in the reader's language.
    one.closedBy === gatewayActor ? '' : (one.reason ?? ''),
  ]
}

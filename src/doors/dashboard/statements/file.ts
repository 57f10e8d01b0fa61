import type { Movement } from '#backoffice/reports/movements-store.ts'
import type { Statement } from '#backoffice/reports/statement.ts'
import { after } from '#base/kit/clock.ts'
import type { Language } from '#base/kit/language.ts'
import { formatAmount } from '#base/kit/money.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { OutputColumn, Value } from '#formats/tables/output.ts'
import { writeCsv } from '#formats/tables/write-csv.ts'
import { type PrintedTable, writePdf } from '#formats/tables/write-pdf.ts'
import { writeXlsx } from '#formats/tables/write-xlsx.ts'
import type { DashboardContext } from '../context.ts'
import { dayText, momentText, phone } from '../frame/components.ts'
import { beginDownload } from '../frame/downloads.ts'
import type { Pages } from '../frame/pages.ts'
import { readRange } from '../frame/ranges.ts'
import { sendFile } from '../frame/send-file.ts'
import type { Visit } from '../frame/visit.ts'
import { categoryWord, movementText } from './movements.ts'

export const fileForms = ['csv', 'xlsx', 'pdf'] as const

const words = inBoth({
  fr: {
    title: fr`Relevé de compte`,
    name: 'releve',
    when: 'Date',
    what: fr`Libellé`,
    reference: fr`Référence`,
    amount: 'Net',
    gross: 'Brut',
    fee: 'Frais',
    number: fr`Numéro`,
    item: 'Article',
    customer: 'Client',
    balance: 'Solde',
    opening: fr`Solde d'ouverture`,
    closing: fr`Solde de clôture`,
    fees: 'Frais',
    period: (from: string, to: string) => fr`Du ${from} au ${to}`,
    ends: (at: string) => fr`Arrêté au ${at}`,
  },
  en: {
    title: 'Account statement',
    name: 'statement',
    when: 'Date',
    what: 'Description',
    reference: 'Reference',
    amount: 'Net',
    gross: 'Gross',
    fee: 'Fee',
    number: 'Number',
    item: 'Item',
    customer: 'Customer',
    balance: 'Balance',
    opening: 'Opening balance',
    closing: 'Closing balance',
    fees: 'Fees',
    period: (from: string, to: string) => `From ${from} to ${to}`,
    ends: (at: string) => `As of ${at}`,
  },
})

/** GET /dashboard/statements/file: every movement of a range, with the balances at its ends. */
export default function file(pages: Pages, context: DashboardContext): void {
  const { reports } = context
  pages.answer('/dashboard/statements/file', 'statement.export', async (visit, reply) => {
    const form = fileForms.find((one) => one === visit.query.form)
    const { from, to, problems } = readRange(visit)
    if (form === undefined || from === null || to === null || Object.keys(problems).length > 0)
      return undefined
    const statement = await reports.statement(visit.client.id, { from, to })
    await beginDownload(context, visit, reply, 'statement.export')
    const days = { from: visit.query.from ?? '', to: visit.query.to ?? '' }
    const table = tableOf(visit, { statement, days, form }, reports.eachMovement(statement))
    const { name } = words[visit.language]
    return sendFile(reply, `${name}-${days.from}-${days.to}.${form}`, write[form](table))
  })
}

const write = { csv: writeCsv, xlsx: writeXlsx, pdf: writePdf }

interface Wanted {
  statement: Statement
  /** The first and the last day. */
  days: { from: string; to: string }
  form: (typeof fileForms)[number]
}

type MovementColumn = OutputColumn & { of(movement: Movement): Value }

function tableOf(
  visit: Visit,
  { statement, days, form }: Wanted,
  movements: AsyncIterable<Movement>,
): PrintedTable {
  const { language, zone, client, now } = visit
  const say = words[language]
  const columns = columnsOf(visit, form)
  return {
    title: say.title,
    language,
    timeZone: zone,
    subtitles: [
      client.name,
      say.period(dayText(language, days.from), dayText(language, days.to)),
      ...(statement.to > now ? [say.ends(momentText(visit, now))] : []),
    ],
    summary: summaryOf(language, statement),
    columns,
    rows: rowsOf(visit, columns, statement, movements),
  }
}

/** All that is known of a movement; on paper there is room for less. */
function columnsOf(visit: Visit, form: Wanted['form']): MovementColumn[] {
  const { language } = visit
  const say = words[language]
  const all: (MovementColumn & { isWide?: boolean })[] = [
    { title: say.when, kind: 'moment', width: 16, of: ({ at }) => at },
    { title: say.what, kind: 'text', width: 22, of: (one) => movementText(language, one) },
    { title: say.item, kind: 'text', width: 16, of: ({ itemName }) => itemName },
    { title: say.customer, kind: 'text', width: 14, of: ({ customerName }) => customerName },
    { title: say.number, kind: 'text', width: 14, isWide: true, of: (one) => numberOf(visit, one) },
    { title: say.reference, kind: 'text', width: 18, of: (one) => one.externalId ?? one.ref },
    { title: say.gross, kind: 'money', width: 12, isWide: true, of: (one) => one.amount - one.fee },
    { title: say.fee, kind: 'money', width: 9, of: ({ fee }) => fee },
    { title: say.amount, kind: 'money', width: 12, of: ({ amount }) => amount },
    { title: say.balance, kind: 'money', width: 12, of: ({ after }) => after },
  ]
  return all.filter(({ isWide }) => form !== 'pdf' || isWide !== true)
}

function numberOf(visit: Visit, { phone: number, serviceCode }: Movement): string {
  return phone(visit, number, serviceCode ?? '').replaceAll('\u00a0', ' ')
}

/** A statement of a time that is not over ends now, others in the last second of a day. */
function endOf({ now }: Pick<Visit, 'now'>, { to }: Statement): Date {
  return to > now ? now : after(to, -1000)
}

function summaryOf(language: Language, { opening, lines, fee, closing }: Statement) {
  const say = words[language]
  const summary: [string, string][] = [
    [say.opening, signed(opening)],
    ...lines.map(({ category, amount }): [string, string] => [
      categoryWord(language, category),
      signed(amount),
    ]),
    [say.fees, signed(fee)],
    [say.closing, signed(closing)],
  ]
  return summary
}

function signed(francs: number): string {
  return `${francs < 0 ? '-' : ''}${formatAmount(Math.abs(francs))}`
}

/** As a bank shows it: the opening balance, every movement from the oldest on, the closing one. */
async function* rowsOf(
  visit: Visit,
  columns: MovementColumn[],
  statement: Statement,
  movements: AsyncIterable<Movement>,
): AsyncGenerator<Value[]> {
  const { opening, closing } = words[visit.language]
  const between = columns.slice(3).map(() => null)
  yield [statement.from, opening, ...between, statement.opening]
  for await (const one of movements) yield columns.map(({ of }) => of(one))
  yield [endOf(visit, statement), closing, ...between, statement.closing]
}

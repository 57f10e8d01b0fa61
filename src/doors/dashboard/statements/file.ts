import type { Movement } from '#backoffice/reports/movements-store.ts'
import type { Statement } from '#backoffice/reports/statement.ts'
import { after } from '#base/kit/clock.ts'
import type { Language } from '#base/kit/language.ts'
import { formatAmount } from '#base/kit/money.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { OutputColumn, Row, Value } from '#formats/tables/output.ts'
import { writeCsv } from '#formats/tables/write-csv.ts'
import { type Letterhead, type PrintedTable, writePdf } from '#formats/tables/write-pdf.ts'
import { writeXlsx } from '#formats/tables/write-xlsx.ts'
import type { DashboardContext } from '../context.ts'
import { dayText, momentText, phone } from '../frame/components.ts'
import { beginDownload } from '../frame/downloads.ts'
import { letterheadOf } from '../frame/letterhead.ts'
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
    detail: fr`Détail`,
    total: 'Total des mouvements',
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
    detail: 'Details',
    total: 'All movements',
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
  const { clients, reports } = context
  pages.answer('/dashboard/statements/file', 'statement.export', async (visit, reply) => {
    const form = fileForms.find((one) => one === visit.query.form)
    const { from, to, problems } = readRange(visit)
    if (form === undefined || from === null || to === null || Object.keys(problems).length > 0)
      return undefined
    const statement = await reports.statement(visit.client.id, { from, to })
    await beginDownload(context, visit, reply, 'statement.export')
    const days = { from: visit.query.from ?? '', to: visit.query.to ?? '' }
    const issuer = await letterheadOf(clients, visit)
    const wanted = { statement, days, form, issuer }
    const table = tableOf(visit, wanted, reports.eachMovement(statement))
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
  issuer: Letterhead
}

type MovementColumn = OutputColumn & {
  of(movement: Movement): Value
  /** Whether the column has a sum. */
  isSummed?: boolean
}

function tableOf(
  visit: Visit,
  { statement, days, form, issuer }: Wanted,
  movements: AsyncIterable<Movement>,
): PrintedTable {
  const { language, zone, now } = visit
  const say = words[language]
  const columns = columnsOf(visit, form)
  return {
    title: say.title,
    language,
    timeZone: zone,
    issuer,
    subtitles: [
      say.period(dayText(language, days.from), dayText(language, days.to)),
      ...(statement.to > now ? [say.ends(momentText(visit, now))] : []),
    ],
    summary: summaryOf(language, statement),
    columns,
    rows: rowsOf(visit, columns, { statement, form }, movements),
  }
}

/** All that is known of a movement; on paper there is room for less. */
function columnsOf(visit: Visit, form: Wanted['form']): MovementColumn[] {
  const { language } = visit
  const say = words[language]
  const when: MovementColumn = { title: say.when, kind: 'moment', width: 19, of: ({ at }) => at }
  const what = textColumn(say.what, 26, (one) => movementText(language, one))
  const reference = textColumn(say.reference, 24, (one) => one.externalId ?? one.ref)
  const gross = sumColumn(say.gross, 12, (one) => one.amount - one.fee)
  const fee = sumColumn(say.fee, 10, (one) => one.fee)
  const net = sumColumn(say.amount, 12, ({ amount }) => amount)
  const balance: MovementColumn = {
    ...sumColumn(say.balance, 13, ({ after }) => after),
    isSummed: false,
  }
  if (form === 'pdf')
    return [when, what, textColumn(say.detail, 30, detailOf), reference, fee, net, balance]
  return [
    when,
    what,
    textColumn(say.item, 20, ({ itemName }) => itemName),
    textColumn(say.customer, 18, ({ customerName }) => customerName),
    textColumn(say.number, 16, (one) => numberOf(visit, one)),
    reference,
    gross,
    fee,
    net,
    balance,
  ]
}

function textColumn(title: string, width: number, of: MovementColumn['of']): MovementColumn {
  return { title, kind: 'text', width, of }
}

function sumColumn(title: string, width: number, of: MovementColumn['of']): MovementColumn {
  return { title, kind: 'money', width, of, isSummed: true }
}

function detailOf({ itemName, customerName }: Movement): string {
  return [itemName, customerName].filter((one) => one !== null).join(' · ')
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

/**
 * As a bank shows it: the opening balance, every movement from the oldest on, their sums, the
 * closing balance. In CSV, which programs read, the sums would count twice.
 */
async function* rowsOf(
  visit: Visit,
  columns: MovementColumn[],
  { statement, form }: Pick<Wanted, 'statement' | 'form'>,
  movements: AsyncIterable<Movement>,
): AsyncGenerator<Row> {
  const { opening, closing, total } = words[visit.language]
  const between = columns.slice(3).map(() => null)
  const sums = columns.map<number | null>(({ isSummed }) => (isSummed === true ? 0 : null))
  yield { total: [statement.from, opening, ...between, statement.opening] }
  for await (const one of movements) {
    const cells = columns.map(({ of }) => of(one))
    sums.forEach((sum, index) => {
      if (sum !== null) sums[index] = sum + Number(cells[index])
    })
    yield cells
  }
  if (form !== 'csv') yield { total: [null, total, ...sums.slice(2)] }
  yield { total: [endOf(visit, statement), closing, ...between, statement.closing] }
}

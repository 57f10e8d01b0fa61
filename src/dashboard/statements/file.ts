import type { Language } from '../../kit/language.ts'
import { formatAmount } from '../../kit/money.ts'
import { fr } from '../../pages/typography.ts'
import type { Movement } from '../../reports/movements-store.ts'
import type { Statement } from '../../reports/statement.ts'
import type { Value } from '../../tables/output.ts'
import { writeCsv } from '../../tables/write-csv.ts'
import type { PrintedTable } from '../../tables/write-pdf.ts'
import { writePdf } from '../../tables/write-pdf.ts'
import { writeXlsx } from '../../tables/write-xlsx.ts'
import type { DashboardContext } from '../context.ts'
import { momentText } from '../frame/components.ts'
import { beginDownload } from '../frame/downloads.ts'
import type { Pages } from '../frame/pages.ts'
import { readRange } from '../frame/ranges.ts'
import { sendFile } from '../frame/send-file.ts'
import type { Visit } from '../frame/visit.ts'
import { inBoth } from '../frame/words.ts'
import { categoryWord, movementText } from './movements.ts'

export const fileForms = ['csv', 'xlsx', 'pdf'] as const

const words = inBoth({
  fr: {
    title: fr`Relevé de compte`,
    name: 'releve',
    when: 'Date',
    what: fr`Libellé`,
    reference: fr`Référence`,
    amount: fr`Montant`,
    fee: 'dont frais',
    balance: 'Solde',
    opening: fr`Solde d'ouverture`,
    closing: fr`Solde de clôture`,
    fees: 'Frais',
    period: (from: string, to: string) => fr`Du ${from} au ${to}`,
  },
  en: {
    title: 'Account statement',
    name: 'statement',
    when: 'Date',
    what: 'Text',
    reference: 'Reference',
    amount: 'Amount',
    fee: 'of which fee',
    balance: 'Balance',
    opening: 'Opening balance',
    closing: 'Closing balance',
    fees: 'Fees',
    period: (from: string, to: string) => `From ${from} to ${to}`,
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
    const table = tableOf(visit, statement, reports.eachMovement(statement))
    const { name } = words[visit.language]
    return sendFile(
      reply,
      `${name}-${visit.query.from}-${visit.query.to}.${form}`,
      write[form](table),
    )
  })
}

const write = { csv: writeCsv, xlsx: writeXlsx, pdf: writePdf }

function tableOf(
  visit: Visit,
  statement: Statement,
  movements: AsyncIterable<Movement>,
): PrintedTable {
  const { language, zone, client } = visit
  const say = words[language]
  return {
    title: say.title,
    language,
    timeZone: zone,
    subtitles: [
      client.name,
      say.period(momentText(visit, statement.from), momentText(visit, endOf(visit, statement))),
    ],
    summary: summaryOf(language, statement),
    columns: [
      { title: say.when, kind: 'moment', width: 19 },
      { title: say.what, kind: 'text', width: 30 },
      { title: say.reference, kind: 'text', width: 24 },
      { title: say.fee, kind: 'money', width: 10 },
      { title: say.amount, kind: 'money', width: 14 },
      { title: say.balance, kind: 'money', width: 14 },
    ],
    rows: rowsOf(language, { ...statement, to: endOf(visit, statement) }, movements),
  }
}

/** A statement of a time that is not over ends now. */
export function endOf({ now }: Pick<Visit, 'now'>, { to }: Statement): Date {
  return to > now ? now : to
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

/** Newest first, as on the screen: the closing balance, every movement, the opening balance. */
async function* rowsOf(
  language: Language,
  { from, to, opening, closing }: Statement,
  movements: AsyncIterable<Movement>,
): AsyncGenerator<Value[]> {
  const { opening: openingWord, closing: closingWord } = words[language]
  yield [to, closingWord, null, null, null, closing]
  for await (const one of movements)
    yield [
      one.at,
      movementText(language, one),
      one.externalId ?? one.ref,
      one.fee,
      one.amount,
      one.after,
    ]
  yield [from, openingWord, null, null, null, opening]
}

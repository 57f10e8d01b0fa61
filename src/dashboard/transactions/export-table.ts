import type { FastifyReply } from 'fastify'
import { wholeClient } from '../../clients/scope.ts'
import type { Progress } from '../../exports/export.ts'
import { timeOfIdMs } from '../../kit/ids.ts'
import type { Language } from '../../kit/language.ts'
import { fr } from '../../pages/typography.ts'
import type { OutputColumn, OutputTable, Value } from '../../tables/output.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { chargedFee, failureCodeOf, failureMessage } from '../../wire/failure.ts'
import type { DashboardContext } from '../context.ts'
import { phone, statusWord } from '../frame/components.ts'
import { kindWord, providerWord } from '../frame/kinds.ts'
import type { sheetForms } from '../frame/send-file.ts'
import { sendSheet } from '../frame/send-file.ts'
import type { Visit } from '../frame/visit.ts'
import { inBoth } from '../frame/words.ts'
import { readFilters } from './filters.ts'
import { shopNames } from './read-shops.ts'
import type { ShopNames } from './rows.ts'
import { columnWords, netOf, signed } from './rows.ts'

const words = inBoth({
  fr: {
    title: 'Transactions',
    provider: 'Prestataire',
    net: 'Net',
    completed: 'Fin',
    reason: fr`Raison de l'échec`,
    reference: fr`Référence du prestataire`,
    service: 'Code du service',
    end: (rows: number) => fr`Nombre de transactions : ${rows}`,
  },
  en: {
    title: 'Transactions',
    provider: 'Provider',
    net: 'Net',
    completed: 'Ended',
    reason: 'Why it failed',
    reference: "Provider's reference",
    service: 'Service code',
    end: (rows: number) => `Number of transactions: ${rows}`,
  },
})

/**
 * Sends the transactions that pass the filters of the address; what would take long leads to the
 * page that lets it be made in the background. Undefined: a filter is none.
 */
export async function sendExport(
  context: DashboardContext,
  visit: Visit,
  reply: FastifyReply,
  form: (typeof sheetForms)[number],
): Promise<FastifyReply | undefined> {
  const { query, client, now } = visit
  const { filter, range } = readFilters(visit)
  const { transactions, config } = context
  const table = await exportTable(context, visit)
  if (table === undefined) return undefined
  if (await transactions.looksAtMore(client.id, filter, range, config.exportDirectRows)) {
    const search = new URLSearchParams({ ...query, of: 'transactions', form }).toString()
    return reply.redirect(`/dashboard/exports/new?${search}`, 303)
  }
  return sendSheet(reply, { name: `transactions-${now.toISOString().slice(0, 10)}`, form, table })
}

/** For whom a file is written, and what of it: all that two files of one client can differ by. */
export type ExportReader = Pick<Visit, 'language' | 'zone' | 'may' | 'query'> & {
  client: { id: number }
}

/** The transactions that pass the filters of an address, to write; undefined: a filter is none. */
export async function exportTable(
  context: Pick<DashboardContext, 'transactions' | 'subMerchants'>,
  reader: ExportReader,
  report: (progress: Progress) => Promise<void> = async () => {},
): Promise<OutputTable | undefined> {
  const { filter, range, problems } = readFilters(reader)
  if (Object.keys(problems).length > 0) return undefined
  const { transactions } = context
  const { language, zone: timeZone, client } = reader
  const [shops, ends] = await Promise.all([
    shopNames(context, client.id),
    transactions.ends(client.id, range),
  ])
  const progress: Progress = { rows: 0, share: 0, reachedAt: null }
  const found = transactions.each(wholeClient(client.id), filter, range, async (before) => {
    if (ends !== undefined) progress.share = shareOf(ends, before)
    await report({ ...progress })
  })
  const { title } = words[language]
  const columns = columnsOf(language)
  return { title, columns, timeZone, rows: rowsOf(reader, shops, found, progress, report) }
}

/** Per mille of the time between two ids that is behind a third one, from the newest on. */
function shareOf({ oldest, newest }: { oldest: string; newest: string }, before: string): number {
  const lastMs = timeOfIdMs(newest)
  const wholeMs = Math.max(1, lastMs - timeOfIdMs(oldest))
  return Math.min(999, Math.floor((1000 * (lastMs - timeOfIdMs(before))) / wholeMs))
}

function columnsOf(language: Language): OutputColumn[] {
  const { moment, kind, number, amount, fee, status, ours, yours, shop } = columnWords[language]
  const { provider, net, completed, reason, reference, service } = words[language]
  return [
    { title: moment, kind: 'moment', width: 19 },
    { title: kind, kind: 'text', width: 18 },
    { title: provider, kind: 'text', width: 16 },
    { title: number, kind: 'text', width: 14 },
    { title: amount, kind: 'money', width: 12 },
    { title: fee, kind: 'money', width: 9 },
    { title: net, kind: 'money', width: 12 },
    { title: status, kind: 'text', width: 12 },
    { title: completed, kind: 'moment', width: 19 },
    { title: reason, kind: 'text', width: 30 },
    { title: ours, kind: 'text', width: 36 },
    { title: yours, kind: 'text', width: 24 },
    { title: reference, kind: 'text', width: 24 },
    { title: service, kind: 'text', width: 20 },
    { title: shop, kind: 'text', width: 18 },
  ]
}

/** The last row tells how many there are: a file that breaks off does not look complete. */
async function* rowsOf(
  reader: ExportReader,
  shops: ShopNames,
  found: AsyncIterable<Transaction>,
  progress: Progress,
  report: (progress: Progress) => Promise<void>,
): AsyncGenerator<Value[]> {
  const { language } = reader
  for await (const one of found) {
    progress.rows += 1
    progress.reachedAt = one.createdAt
    yield [
      one.createdAt,
      kindWord(language, one.operation),
      providerWord(language, one.serviceCode),
      phone(reader, one.phone),
      signed(one),
      chargedFee(one),
      netOf(one),
      statusWord(language, one.status),
      one.completedAt,
      failureMessage(failureCodeOf(one), language),
      one.id,
      one.externalId,
      one.reference,
      one.serviceCode,
      one.subMerchantId === null ? '' : (shops.get(one.subMerchantId) ?? one.subMerchantId),
    ]
  }
  yield [words[language].end(progress.rows)]
  await report({ ...progress, share: 1000 })
}

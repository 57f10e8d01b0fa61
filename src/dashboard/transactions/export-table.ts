import type { FastifyReply } from 'fastify'
import { wholeClient } from '../../clients/scope.ts'
import type { Language } from '../../kit/language.ts'
import { fr } from '../../pages/typography.ts'
import type { OutputColumn, Value } from '../../tables/output.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { chargedFee, failureCodeOf, failureMessage } from '../../wire/failure.ts'
import type { DashboardContext } from '../context.ts'
import { phone, statusWord } from '../frame/components.ts'
import { beginDownload } from '../frame/downloads.ts'
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

/** Sends the transactions that pass the filters of the address. Undefined: a filter is none. */
export async function sendExport(
  context: DashboardContext,
  visit: Visit,
  reply: FastifyReply,
  form: (typeof sheetForms)[number],
): Promise<FastifyReply | undefined> {
  const { filter, range, problems } = readFilters(visit)
  if (Object.keys(problems).length > 0) return undefined
  const { language, zone: timeZone, client, now } = visit
  const shops = await shopNames(context, client.id)
  await beginDownload(context, visit, reply, 'transaction.export')
  const found = context.transactions.each(wholeClient(client.id), filter, range)
  const { title } = words[language]
  const rows = rowsOf(visit, shops, found)
  return sendSheet(reply, {
    name: `transactions-${now.toISOString().slice(0, 10)}`,
    form,
    table: { title, columns: columnsOf(language), timeZone, rows },
  })
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
  visit: Visit,
  shops: ShopNames,
  found: AsyncIterable<Transaction>,
): AsyncGenerator<Value[]> {
  const { language } = visit
  let count = 0
  for await (const one of found) {
    count += 1
    yield [
      one.createdAt,
      kindWord(language, one.operation),
      providerWord(language, one.serviceCode),
      phone(visit, one.phone),
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
  yield [words[language].end(count)]
}

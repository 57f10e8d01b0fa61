import type { FastifyReply } from 'fastify'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { dayOf } from '#base/kit/zoned-days.ts'
import { chargedFee, failureCodeOf, failureMessage } from '#edge/wire/failure.ts'
import type { OutputColumn, Row } from '#formats/tables/output.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import type { DashboardContext } from '../context.ts'
import { phone, statusWord } from '../frame/components.ts'
import { beginDownload } from '../frame/downloads.ts'
import { kindWord, providerWord } from '../frame/kinds.ts'
import { sendSheet, type sheetForms } from '../frame/send-file.ts'
import type { Visit } from '../frame/visit.ts'
import { readFilters } from './filters.ts'
import { shopNames } from './read-shops.ts'
import { columnWords, netOf, ownReference, type ShopNames, signed } from './rows.ts'

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

type Form = (typeof sheetForms)[number]

/** Sends the transactions that pass the filters of the address. Undefined: a filter is none. */
export async function sendExport(
  context: DashboardContext,
  visit: Visit,
  reply: FastifyReply,
  form: Form,
): Promise<FastifyReply | undefined> {
  const { filter, range, problems } = readFilters(visit)
  if (Object.keys(problems).length > 0) return undefined
  const { language, zone: timeZone, client } = visit
  const shops = await shopNames(context, client.id)
  await beginDownload(context, visit, reply, 'transaction.export')
  const found = context.transactions.each(wholeClient(client.id), filter, range)
  const { title } = words[language]
  const rows = rowsOf(context, visit, { shops, form }, found)
  return sendSheet(reply, {
    name: ['transactions', ...periodOf(visit)].join('-'),
    form,
    table: { title, columns: columnsOf(language), timeZone, rows },
  })
}

/** The first and the last day that are asked for; of all that there is the day it was asked on. */
function periodOf({ query, now, zone }: Visit): string[] {
  const today = dayOf(now, zone)
  const { from = '', to = '' } = query
  return [from, to || today].map((day) => day.trim()).filter((day) => day !== '')
}

function columnsOf(language: Language): OutputColumn[] {
  const { moment, kind, number, amount, fee, status, ours, yours, shop, item, customer } =
    columnWords[language]
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
    { title: item, kind: 'text', width: 24 },
    { title: customer, kind: 'text', width: 18 },
  ]
}

/**
 * The last row says how many there are: a file that breaks off does not look complete. In CSV,
 * which programs read, its sums would count twice.
 */
async function* rowsOf(
  context: DashboardContext,
  visit: Visit,
  { shops, form }: { shops: ShopNames; form: Form },
  found: AsyncIterable<Transaction>,
): AsyncGenerator<Row> {
  const { language } = visit
  let [count, fees, net] = [0, 0, 0]
  for await (const { one, links } of withLinks(context, found)) {
    count += 1
    fees -= chargedFee(one)
    net += netOf(one)
    const link = links.get(one.id)
    yield [
      one.createdAt,
      kindWord(language, one.operation),
      providerWord(language, one.serviceCode),
      phone(visit, one.phone, one.serviceCode).replaceAll('\u00a0', ' '),
      signed(one),
      0 - chargedFee(one),
      netOf(one),
      statusWord(language, one.status),
      one.completedAt,
      failureMessage(failureCodeOf(one), language),
      one.id,
      ownReference(one, links),
      one.reference,
      one.serviceCode,
      one.subMerchantId === null ? '' : (shops.get(one.subMerchantId) ?? one.subMerchantId),
      link?.itemName ?? null,
      link?.customerName ?? null,
    ]
  }
  const sums = form === 'csv' ? [] : [null, null, null, null, fees, net]
  yield { total: [words[language].end(count), ...sums] }
}

const readAtOnce = 250

/** Transactions with the links behind them, which are read for many at once. */
async function* withLinks({ links }: DashboardContext, found: AsyncIterable<Transaction>) {
  let some: Transaction[] = []
  const behind = async () => {
    const read = await links.behind(some)
    return some.map((one) => ({ one, links: read }))
  }
  for await (const one of found) {
    some.push(one)
    if (some.length < readAtOnce) continue
    yield* await behind()
    some = []
  }
  yield* await behind()
}

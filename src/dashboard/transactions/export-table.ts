import { wholeClient } from '../../clients/scope.ts'
import type { Language } from '../../kit/language.ts'
import { fr } from '../../pages/typography.ts'
import type { OutputColumn, OutputTable, Value } from '../../tables/output.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { chargedFee, failureCodeOf, failureMessage } from '../../wire/failure.ts'
import type { DashboardContext } from '../context.ts'
import { phone, statusWord } from '../frame/components.ts'
import { kindWord, providerWord } from '../frame/kinds.ts'
import type { Visit } from '../frame/visit.ts'
import { inBoth } from '../frame/words.ts'
import { readFilters } from './filters.ts'
import { shopNames } from './read-shops.ts'
import type { ShopNames } from './rows.ts'
import { columnWords, netOf, signed } from './rows.ts'

const words = inBoth({
  fr: {
    title: 'Transactions',
    provider: 'Fournisseur',
    net: 'Net',
    completed: 'Fin',
    reason: fr`Raison de l'échec`,
    reference: fr`Référence du fournisseur`,
    service: 'Code du service',
  },
  en: {
    title: 'Transactions',
    provider: 'Provider',
    net: 'Net',
    completed: 'Ended',
    reason: 'Why it failed',
    reference: "Provider's reference",
    service: 'Service code',
  },
})

/** The transactions that pass the filters of the address, to write; undefined: a filter is none. */
export async function exportTable(
  context: DashboardContext,
  visit: Visit,
): Promise<OutputTable | undefined> {
  const { filter, range, problems } = readFilters(visit)
  if (Object.keys(problems).length > 0) return undefined
  const shops = await shopNames(context, visit.client.id)
  const found = context.transactions.each(wholeClient(visit.client.id), filter, range)
  return {
    title: words[visit.language].title,
    columns: columnsOf(visit.language),
    rows: rowsOf(visit, shops, found),
    timeZone: visit.zone,
  }
}

/** The name of the file, with the day of the export. */
export function exportName({ now }: Visit, ending: 'csv' | 'xlsx'): string {
  return `transactions-${now.toISOString().slice(0, 10)}.${ending}`
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

async function* rowsOf(
  visit: Visit,
  shops: ShopNames,
  found: AsyncIterable<Transaction>,
): AsyncGenerator<Value[]> {
  const { language } = visit
  for await (const one of found)
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

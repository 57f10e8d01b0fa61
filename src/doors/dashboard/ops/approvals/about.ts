import type { Order } from '#backoffice/approvals/approval.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { instant, phone } from '#doors/dashboard/frame/components.ts'
import type { Fact } from '#doors/dashboard/frame/reviewed.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { titleOf } from '#doors/dashboard/transactions/summary.ts'
import type { Transaction } from '#money/transactions/transaction.ts'

const words = inBoth({
  fr: {
    what: fr`Opération du payeur`,
    payer: fr`Numéro du payeur`,
    theirs: fr`Référence du prestataire`,
    at: fr`Date et heure`,
  },
  en: {
    what: 'Payer’s operation',
    payer: 'Payer’s number',
    theirs: 'Provider’s reference',
    at: 'Date and time',
  },
})

/** The transaction that an order ends or sends back; undefined: it is about none. */
export async function transactionOf(
  { transactions }: Pick<DashboardContext, 'transactions'>,
  order: Order,
): Promise<Transaction | undefined> {
  if (order.kind !== 'resolve' && order.kind !== 'send_back') return undefined
  return transactions.findById(order)
}

/** Whose money it is, and by what the provider knows it. */
export function transactionFacts(visit: OpsVisit, one: Transaction | undefined): Fact[] {
  if (one === undefined) return []
  const say = words[visit.language]
  return [
    { name: 'what', label: say.what, value: one.serviceCode, show: () => titleOf(visit, one) },
    { name: 'payer', label: say.payer, value: phone(visit, one.phone, one.serviceCode) },
    { name: 'theirs', label: say.theirs, value: one.reference },
    {
      name: 'at',
      label: say.at,
      value: one.createdAt.toISOString(),
      show: () => instant(visit, one.createdAt),
    },
  ]
}

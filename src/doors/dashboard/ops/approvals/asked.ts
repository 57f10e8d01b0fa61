import type { Prepared } from '#backoffice/approvals/prepare.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { moneyFact, statusWord } from '#doors/dashboard/frame/components.ts'
import { WrongFields } from '#doors/dashboard/frame/problems.ts'
import type { Fact } from '#doors/dashboard/frame/reviewed.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { Clients } from '#merchants/clients/open.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { transactionFacts, transactionOf } from './about.ts'
import { orderWords } from './order-words.ts'
import { readOrder, type Typed } from './read-order.ts'
import { accountWord, kindTitle } from './words.ts'

/** What is asked for, and whose it is, by our ids. */
export interface Reviewable {
  typed: Typed
  prepared: Prepared
  merchant: string
  /** The transaction that is ended or sent back. */
  about: Transaction | undefined
}

/** Throws what is wrong with what was typed. */
export async function askedOf(
  context: DashboardContext,
  { language }: OpsVisit,
  typed: Typed,
): Promise<Reviewable> {
  const { approvals, clients } = context
  const read = await readOrder(context, language, typed)
  if ('problems' in read) throw new WrongFields(read.problems)
  const prepared = await approvals.preview(read.order)
  const { clientId } = prepared.order
  const transaction = 'id' in prepared.order ? prepared.order.id : ''
  return {
    typed: { ...typed, client: String(clientId), transaction },
    prepared,
    merchant: await merchantOf(clients, clientId),
    about: await transactionOf(context, prepared.order),
  }
}

/** A client by its name and its number, which alone is never anybody else's. */
export async function merchantOf(clients: Clients, clientId: number | null): Promise<string> {
  if (clientId === null) return '—'
  return `${(await clients.find(clientId))?.name ?? ''} (${clientId})`
}

/** What the review shows, and what must still be so when it is sent. */
export function factsOf(visit: OpsVisit, asked: Reviewable): Fact[] {
  const { language } = visit
  const say = orderWords[language]
  const { typed, merchant, prepared } = asked
  const { order, amount, seen } = prepared
  const { status = null, reference = null } = seen
  const as = order.kind === 'resolve' ? order.as : null
  const isGiven = order.kind === 'adjust' ? order.isGiven : null
  return [
    {
      name: 'kind',
      label: say.kind,
      value: order.kind,
      show: () => kindTitle(language, order.kind),
    },
    moneyFact('amount', say.total, amount),
    { name: 'merchant', label: say.merchant, value: merchant },
    { name: 'transaction', label: say.transaction, value: typed.transaction || null },
    ...transactionFacts(visit, asked.about),
    {
      name: 'status',
      label: say.status,
      value: status,
      show: (value) => statusWord(language, String(value)),
    },
    { name: 'payment', label: say.payment, value: reference },
    {
      name: 'isGiven',
      label: say.direction,
      value: isGiven,
      show: (value) => (value === true ? say.give : say.take),
    },
    {
      name: 'account',
      label: say.account,
      value: order.kind === 'adjust' ? order.account : null,
      show: (value) => accountWord(language, String(value)),
    },
    { name: 'ref', label: say.ref, value: 'ref' in order ? order.ref : null },
    {
      name: 'as',
      label: say.as,
      value: as,
      show: (value) => (value === 'success' ? say.success : say.failed),
    },
    { name: 'reason', label: say.reason, value: typed.reason || null },
  ]
}

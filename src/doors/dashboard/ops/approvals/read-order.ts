import { approvalKinds, type MoneyKind, type Order } from '#backoffice/approvals/approval.ts'
import type { Language } from '#base/kit/language.ts'
import { readAmount } from '#base/kit/money.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Problems } from '#doors/dashboard/frame/fields.ts'
import { problemsOf } from '#doors/dashboard/frame/problems.ts'
import type { Clients } from '#merchants/clients/open.ts'
import { adjustableAccounts } from '#money/ledger/adjustment.ts'
import type { Transactions } from '#money/transactions/open.ts'
import type { TransactionId } from '#money/transactions/transaction.ts'

export const fieldNames = [
  'kind',
  'client',
  'amount',
  'ref',
  'account',
  'direction',
  'transaction',
  'as',
  'reason',
] as const

/** What was typed, as it was typed. */
export type Typed = Record<(typeof fieldNames)[number], string>

const words = inBoth({
  fr: {
    client: fr`Indiquez le numéro ou le nom d'un marchand.`,
    amount: fr`Saisissez un montant entier en francs, de 1 à 999 999 999 999.`,
    ref: fr`Saisissez une référence de 1 à 200 caractères.`,
    account: fr`Choisissez un compte.`,
    transaction: fr`Indiquez l'identifiant d'une transaction.`,
    as: fr`Choisissez le résultat de la transaction.`,
    reason: fr`Saisissez un motif de 1 à 500 caractères.`,
  },
  en: {
    client: 'Enter the number or name of a merchant.',
    amount: 'Enter a whole amount in francs, from 1 to 999 999 999 999.',
    ref: 'Enter a reference of 1 to 200 characters.',
    account: 'Choose an account.',
    transaction: 'Enter the id of a transaction.',
    as: 'Choose the outcome of the transaction.',
    reason: 'Enter a reason of 1 to 500 characters.',
  },
})

/** Which fields each kind has. */
export const fieldsOf: Record<MoneyKind, (keyof Typed)[]> = {
  fund: ['client', 'amount', 'ref'],
  withdraw: ['client', 'amount', 'ref'],
  adjust: ['client', 'amount', 'direction', 'account', 'ref', 'reason'],
  resolve: ['transaction', 'client', 'as', 'reason'],
  send_back: ['transaction', 'client', 'reason'],
}

/** Whether a kind needs the field: our id says whose a transaction is, a merchant's does not. */
export function isNeeded(kind: MoneyKind, name: keyof Typed): boolean {
  return name !== 'client' || !fieldsOf[kind].includes('transaction')
}

/** The fields of a form or an address, without spaces around them. */
export function readTyped(given: Record<string, string | undefined>): Typed {
  const entries = fieldNames.map((name) => [name, given[name]?.trim() ?? ''])
  return Object.fromEntries(entries) as Typed
}

export function kindOf({ kind }: Typed): MoneyKind {
  return approvalKinds.find((one) => one === kind) ?? 'fund'
}

/** The order that was typed, or all that is wrong with it. */
export async function readOrder(
  { clients, transactions }: Pick<DashboardContext, 'clients' | 'transactions'>,
  language: Language,
  typed: Typed,
): Promise<{ order: Order } | { problems: Problems }> {
  const kind = kindOf(typed)
  const say = words[language]
  const client = typed.client === '' ? undefined : await findClientId(clients, typed.client)
  const named = await findNamed(transactions, language, typed, client)
  if ('problems' in named) return named
  const { found } = named
  const amount = readAmount(typed.amount) ?? 0
  const isRight: Partial<Record<keyof Typed, boolean>> = {
    client: client !== undefined || (typed.client === '' && !isNeeded(kind, 'client')),
    amount: amount > 0,
    ref: typed.ref.length >= 1 && typed.ref.length <= 200,
    account: adjustableAccounts.includes(typed.account),
    transaction: found !== undefined,
    as: ['success', 'failed'].includes(typed.as),
    reason: typed.reason.length >= 1 && typed.reason.length <= 500,
  }
  const wrong = fieldsOf[kind].filter((name) => isRight[name] === false)
  if (wrong.length > 0)
    return {
      problems: Object.fromEntries(wrong.map((name) => [name, say[name as keyof typeof say]])),
    }
  const { ref, account, reason } = typed
  if (kind === 'resolve' || kind === 'send_back') {
    if (found === undefined) throw new Error('the transaction was checked')
    const as = typed.as === 'success' ? 'success' : 'failed'
    const common = { clientId: found.clientId, id: found.id, reason }
    return { order: kind === 'resolve' ? { kind, as, ...common } : { kind, ...common } }
  }
  const common = { clientId: client ?? 0, amount, ref }
  if (kind !== 'adjust') return { order: { kind, ...common } }
  return { order: { kind, ...common, account, isGiven: typed.direction !== 'take', reason } }
}

/** The transaction that was typed, by our id or its client's; one of several is not guessed. */
async function findNamed(
  transactions: Transactions,
  language: Language,
  { transaction }: Typed,
  clientId = null as number | null,
): Promise<{ found: TransactionId | undefined } | { problems: Problems }> {
  try {
    const found =
      transaction === '' ? undefined : transactions.ofAllClients.named(transaction, { clientId })
    return { found: await found }
  } catch (problem) {
    return { problems: problemsOf(problem, language) }
  }
}

async function findClientId(clients: Clients, nameOrId: string): Promise<number | undefined> {
  try {
    return await clients.idOf(nameOrId)
  } catch (problem) {
    if (problem instanceof Refusal) return undefined
    throw problem
  }
}

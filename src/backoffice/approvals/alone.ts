import { after } from '#base/kit/clock.ts'
import type { Db, Tx } from '#data/db/db.ts'
import type { Approval, Order } from './approval.ts'
import type { ApprovalContext } from './context.ts'
import { lockAlone, readAlone } from './store.ts'

const dayMs = 86_400_000

/** What is asked for, and by whom. */
export interface Demand {
  person: string
  order: Order
  amount: number
}

/**
 * Whether a second person has to decide: the amount is above the limit, or what this person did
 * alone within a day, or what was done alone for one of the clients, with it.
 */
export async function needsSecondPerson(
  run: Db | Tx,
  { approvalAbove: above, clock }: Pick<ApprovalContext, 'approvalAbove' | 'clock'>,
  { person, order, amount }: Demand,
): Promise<boolean> {
  if (order.kind === 'forget') return true
  if (above === null) return false
  if (order.kind === 'grant' || order.kind === 'statement_withdrawal' || amount > above) return true
  const clients =
    order.kind === 'statement' ? Object.entries(order.clients) : [[order.clientId, amount] as const]
  const since = after(clock.now(), -dayMs)
  const ids = clients.map(([id]) => Number(id))
  const done = await readAlone(run, { since, person, ids })
  return (
    done.byPerson + amount > above ||
    clients.some(([id, francs]) => (done.byClient.get(Number(id)) ?? 0) + francs > above)
  )
}

/** The same, and nobody else is judged until this database transaction ends. */
export async function needsSecondPersonNow(
  tx: Tx,
  context: ApprovalContext,
  demand: Demand,
): Promise<boolean> {
  await lockAlone(tx)
  return needsSecondPerson(tx, context, demand)
}

/** What one person did alone, as it is kept. */
export function aloneOf(
  proposal: Approval,
  outcome: Record<string, unknown>,
): Approval & { form: null } {
  const { proposedBy: decidedBy, proposedAt: at } = proposal
  return {
    ...proposal,
    state: 'alone',
    expiresAt: at,
    decidedBy,
    decidedAt: at,
    outcome,
    form: null,
  }
}

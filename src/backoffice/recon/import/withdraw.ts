import type { Asker, Requested } from '#backoffice/approvals/propose.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { closeConflicts } from '#money/transactions/conflict-store.ts'
import { factsOf } from '../cases/facts.ts'
import type { Payment } from '../cases/judge.ts'
import { reasonOf } from '../cases/mend.ts'
import {
  gatewayActor,
  type Heir,
  takeCasesBack,
  takeMissingBack,
  withdrawnReason,
} from '../cases/write-verdicts.ts'
import type { ReconContext } from '../context.ts'
import { readPayments } from './payments.ts'
import { accountOf, type Statement } from './statement.ts'
import { findStatement, lockPartyWithin, lockStatement, takeTurn } from './statement-store.ts'
import { getStatement } from './statements.ts'
import type { ImportContext } from './turn.ts'
import {
  deleteLines,
  judgeAnew,
  lookAnew,
  readDone,
  readFirstLines,
  writeWithdrawing,
} from './withdraw-store.ts'

export interface Withdrawal {
  id: string
  reason: string
}

/** Asks a second person to withdraw a statement. */
export async function proposeWithdrawal(
  context: ReconContext,
  order: Withdrawal,
  asker: Asker,
  form?: string,
): Promise<Requested> {
  const { name, id } = await getStatement(context, order.id)
  const kind = 'statement_withdrawal'
  const why = reasonOf(order.reason)
  return context.approvals.request({ kind, clientId: null, id, name, reason: why }, asker, form)
}

/**
 * Decides that a statement is withdrawn: from then on nothing of its import is committed any more.
 * Refused where something was done on its word that cannot be taken back. What it told is taken
 * back afterwards, in parts.
 */
export async function recordWithdrawal(
  { clock }: Pick<ReconContext, 'clock'>,
  tx: Tx,
  { id, reason: why }: Withdrawal,
  actor: string,
): Promise<Pick<Statement, 'lines' | 'cases' | 'fees' | 'transfers'> & { account: string }> {
  const found = await findStatement(tx, id)
  if (found === undefined) throw new Refusal('not_found', 'No statement found')
  requireKept(found)
  if (!(await lockPartyWithin(tx, found)))
    throw new Refusal('conflict', 'Another statement of this provider is being imported')
  await takeTurn(tx, found)
  const statement = await lockStatement(tx, id)
  if (statement === undefined || statement.state === 'reading')
    throw new Refusal(
      'conflict',
      'Its import was interrupted: what was stored is removed automatically',
    )
  requireKept(statement)
  const { payments, mended, waiting } = await readDone(tx, id)
  if (waiting > 0)
    throw new Refusal('conflict', 'A proposal about its lines or differences must be decided first')
  if (payments > 0)
    throw new Refusal(
      'conflict',
      reason('Its lines ended or booked payments ({payments}): it cannot be withdrawn', {
        payments,
      }),
    )
  if (mended > 0)
    throw new Refusal(
      'conflict',
      reason('Differences were resolved by it ({mended}): it cannot be withdrawn', { mended }),
    )
  await writeWithdrawing(tx, id)
  const { provider, country, name, lines, cases, fees, transfers } = statement
  const details = { id, provider, country, name, lines, cases, fees, transfers, reason: why }
  await recordAudit(tx, { at: clock.now(), actor, action: 'statement.withdraw', details })
  return { lines, cases, account: accountOf(statement), fees, transfers }
}

function requireKept({ state }: Statement): void {
  if (state === 'withdrawing' || state === 'withdrawn')
    throw new Refusal('conflict', 'The statement was withdrawn already')
}

/** The lines of other files, each with those of a statement that tell of the same. */
function heirsOf({ lines, ours }: Payment, id: string): Heir[] {
  return factsOf(lines, ours).flatMap((fact) => {
    const own = fact.lines.flatMap((one) => (one.statementId === id ? [one.line] : []))
    return fact.lines
      .filter(({ statementId }) => statementId !== id)
      .map(({ statementId, line }, index) => ({ statementId, line, own: index === 0 ? own : [] }))
  })
}

const takenBackAtOnce = 1000

/**
 * Takes back what the lines of a statement told, some at a time: its differences are closed, its
 * lines are gone, and those of other files that tell of the same are judged anew.
 */
export async function takeBack(context: ImportContext, statement: Statement): Promise<void> {
  const { db, clock, write } = context
  const { id } = statement
  for (;;) {
    const lines = await readFirstLines(db, id, takenBackAtOnce)
    const to = lines.at(-1)?.line
    if (to === undefined) break
    const payments = await readPayments(db, context, statement, lines)
    const heirs = payments.flatMap((one) => heirsOf(one, id))
    await write(async (tx) => {
      const at = clock.now()
      await judgeAnew(tx, heirs)
      const conflicts = await takeCasesBack(tx, statement, { lines, heirs }, at)
      await closeConflicts(tx, conflicts, { at, by: gatewayActor, reason: withdrawnReason })
      await deleteLines(tx, id, to)
    })
  }
  await write(async (tx) => {
    await takeMissingBack(tx, statement, clock.now())
    await lookAnew(tx, statement)
  })
}

import type { Order } from '#backoffice/approvals/approval.ts'
import type { Tx } from '#data/db/db.ts'
import { parseServiceCode, type Service } from '#merchants/catalog/services.ts'
import { postOwn } from '#money/ledger/own.ts'
import { providerFee, transfer } from '#money/ledger/postings.ts'
import type { ReconContext } from '../context.ts'
import { codesOf } from './party.ts'
import { type Approved, holdOwn, letGo, sumOwn } from './proof-store.ts'
import { accountOf, type Statement } from './statement.ts'
import { lockStatement, readOwnMoney, writeOwnMoney } from './statement-store.ts'

/**
 * Whether lines that are fees or transfers may be booked: an order of who imported the statement,
 * decided once, which may wait for a second person.
 */
export async function permitOwn(
  { db, approvals }: ReconContext,
  { id, name, importedBy: person }: Statement,
): Promise<boolean> {
  const { lines, amount } = await sumOwn(db, id)
  if (lines === 0) return true
  const head = { kind: 'statement', clientId: null, id, name } as const
  const order: Order = { ...head, lines, amount, clients: {}, isOwn: true }
  const requested = await approvals.request(
    order,
    { person, actor: person },
    // Of another amount it is another order.
    `own ${id} ${amount}`,
    async (tx, waiting) => {
      if (waiting !== null) await holdOwn(tx, id, waiting.id)
    },
  )
  return requested.kind === 'done' || requested.approval.state === 'approved'
}

/** Books lines that a second person has let pass, if they are those that the person saw. */
export async function bookApproved(
  tx: Tx,
  { clock }: ReconContext,
  { approvalId, statementId, amount }: Approved,
): Promise<void> {
  const statement = await lockStatement(tx, statementId)
  if (statement?.state !== 'read') return
  await letGo(tx, approvalId)
  if ((await sumOwn(tx, statementId)).amount !== amount) return
  const booked = await readOwnMoney(tx, statementId, { isOfPayments: false })
  await postOwnMoney(tx, statement, `${statementId}/${approvalId}`, { ...booked, at: clock.now() })
  await writeOwnMoney(tx, statementId, booked)
}

/** Posts fees and transfers of a statement, less what it has booked before. */
export async function postOwnMoney(
  tx: Tx,
  statement: Statement,
  ref: string,
  { fees, transfers, at }: { fees: number; transfers: number; at: Date },
): Promise<void> {
  const service = serviceOf(statement)
  await postOwn(tx, providerFee(ref, service, fees - statement.fees), at)
  await postOwn(tx, transfer(ref, service, transfers - statement.transfers), at)
}

/** A service that the account of a statement is for. */
export function serviceOf(statement: Statement): Service {
  const service = parseServiceCode(codesOf(statement)[0] ?? '')
  if (service === undefined) throw new Error(`no service of ${accountOf(statement)}`)
  return service
}

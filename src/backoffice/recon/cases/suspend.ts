import { Refusal } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { postOwn } from '#money/ledger/own.ts'
import { suspendOwn } from '#money/ledger/postings.ts'
import type { ReconContext } from '../context.ts'
import { judgeLines } from '../import/compare.ts'
import { findLine } from '../import/line-store.ts'
import { codesOf } from '../import/party.ts'
import { readPayments } from '../import/payments.ts'
import { accountOf } from '../import/statement.ts'
import { findStatement, lockPartyWithin } from '../import/statement-store.ts'
import type { Case } from './case.ts'
import { lockKnownCase, moveCase } from './move-case.ts'

/** What is booked, and what names it at the provider. */
export interface Suspending {
  /** Above zero: the provider holds more for us. */
  amount: number
  account: string
  reference: string
}

/**
 * Books money that only the provider knows into suspense, or out of it where the provider has taken
 * it back: the ledger has then what the statements say, and the difference is gone.
 */
export async function recordSuspense(
  context: Pick<ReconContext, 'clock' | 'pseudonymOf'>,
  tx: Tx,
  { id, reason }: { id: string; reason: string },
  actor: string,
): Promise<Suspending> {
  const one = await lockKnownCase(tx, id)
  if (!(await lockPartyWithin(tx, one)))
    throw new Refusal('conflict', 'Another statement of this provider is being imported')
  const statement = await findStatement(tx, one.statementId)
  const line = one.line === null ? undefined : await findLine(tx, one.statementId, one.line)
  const { amount } = one
  if (!canBeSuspended(one) || line === undefined || statement?.state !== 'read')
    throw new Refusal('conflict', 'Only money known to the provider alone can be put in suspense')
  const at = context.clock.now()
  const service = parseServiceCode(codesOf(one)[0] ?? '')
  if (service === undefined) throw new Error(`no service of ${accountOf(one)}`)
  const [before] = await readPayments(tx, context, statement, [line])
  // What was booked of it first names it, so that what is taken back leaves nothing behind.
  const name = before?.suspended[0]?.ref ?? `${one.statementId}/${one.line}/`
  if (!(await postOwn(tx, suspendOwn(`${name}${one.id}/${one.version}`, service, amount), at)))
    throw new Error(`the money of case ${one.id} was suspended before`)
  await moveCase(tx, one, { trigger: 'closed', actor, at, closing: 'suspended', reason })
  await judgeLines(tx, context, statement, [line])
  const details = { id, amount, provider: one.provider, country: one.country, reason }
  await recordAudit(tx, { at, actor, action: 'recon.suspend', details })
  return { amount, account: accountOf(one), reference: line.reference ?? '' }
}

/** Only a reference tells what a later file says of the same money. */
export function canBeSuspended({ kind, state, amount, details }: Case): boolean {
  const { reference = null } = details.theirs ?? {}
  return kind === 'theirs_only' && state !== 'closed' && amount !== 0 && reference !== null
}

import type { Tx } from '#data/db/db.ts'
import { isFinal } from '#money/lifecycle/transitions.ts'
import type { Outcome } from '#money/providers/contract.ts'
import type { Proof } from '#money/transactions/prove.ts'
import { lockTransactions } from '#money/transactions/store.ts'
import { serviceOf } from '#money/transactions/transaction.ts'
import { lineKey } from '../cases/facts.ts'
import { type Judgement, judge } from '../cases/judge.ts'
import { writeVerdicts } from '../cases/write-verdicts.ts'
import type { ReconContext } from '../context.ts'
import { readTerms } from './compare.ts'
import type { Ours } from './match-store.ts'
import { readPayments } from './payments.ts'
import { releaseLines } from './proof-store.ts'
import type { Statement, StoredLine } from './statement.ts'
import { addEnded } from './statement-store.ts'

/**
 * `sift`: payments of which nothing is to be proven any more are settled. `hold`: all are, as they
 * stand. `prove`: what their lines prove is recorded.
 */
export type How = 'sift' | 'hold' | 'prove'

export interface Group {
  /** Whose evidence may be recorded. */
  lines: StoredLine[]
  how: How
  /** Lines of whose transactions the provider tells the opposite. */
  refuted: ReadonlySet<string>
}

/** Settles the payments of lines under the locks of their transactions, with what they prove. */
export async function recordLines(
  tx: Tx,
  context: ReconContext,
  statement: Statement,
  { lines, how, refuted }: Group,
): Promise<() => void> {
  // First, so that no other evidence ends one of them between its reading and what is proven by it.
  await lockTransactions(tx, lines.map(transactionOf))
  const own = new Set(lines.map(lineKey))
  const recorded = new Set(refuted)
  const conflicts = new Map<string, string>()
  const commits: (() => void)[] = []
  let openBefore: Set<string> | undefined
  for (;;) {
    const payments = await readPayments(tx, context, statement, lines)
    openBefore ??= new Set(payments.flatMap(({ ours }) => (ours && isOpen(ours) ? [ours.id] : [])))
    const terms = { ...(await readTerms(tx, statement, recorded)), proving: own }
    const judged = payments.map((one) => judge(one, terms))
    const unproven = judged.filter(({ proof }) => proof !== undefined)
    if (unproven.length === 0 || how === 'sift') {
      const settled = judged.filter((one) => how !== 'sift' || !unproven.includes(one))
      // Others of the same payment have their turn after these.
      const proving = payments.flatMap((one) => one.lines.filter(({ proves }) => proves))
      const waiting = new Set(proving.map(lineKey).filter((key) => !own.has(key)))
      const at = context.clock.now()
      await writeVerdicts(tx, statement, settled, { at, conflicts, waiting })
      break
    }
    // One of each payment: the next one sees what it did.
    const allowed = unproven.filter(({ proof }) => proof && own.has(lineKey(proof.line)))
    const proofs = how === 'prove' ? allowed.map((one) => proofOf(one, statement)) : []
    const { proven, afterCommit } = await context.transactions.recordProofs(tx, proofs)
    commits.push(afterCommit)
    for (const [index, { proof }] of allowed.entries()) {
      const conflict = proven[index]?.conflicts[0]?.id
      if (proof !== undefined && conflict !== undefined)
        conflicts.set(lineKey(proof.line), conflict)
    }
    for (const { proof } of unproven) if (proof !== undefined) recorded.add(lineKey(proof.line))
  }
  if (how === 'prove') {
    await releaseLines(tx, lines)
    const after = await readPayments(tx, context, statement, lines)
    const isEnded = (one: Ours | undefined) => one !== undefined && !isOpen(one)
    const ended = after.filter(({ ours }) => isEnded(ours) && openBefore?.has(ours?.id ?? ''))
    await addEnded(tx, statement.id, ended.length)
  }
  return () => {
    for (const afterCommit of commits) afterCommit()
  }
}

function isOpen({ status }: Ours): boolean {
  return !isFinal('transaction', status)
}

export function transactionOf({ clientId, transactionId }: StoredLine) {
  return { clientId: clientId ?? 0, id: transactionId ?? '' }
}

function proofOf({ payment: { ours }, proof }: Judgement, statement: Statement): Proof {
  if (ours === undefined || proof === undefined) throw new Error('only a payment of ours is proven')
  const { line, isSecond } = proof
  const { clientId, id: transactionId } = ours
  const attemptId = line.attemptId ?? ours.attemptId
  const reference = referenceOf(line, ours, isSecond) ?? attemptId
  return {
    clientId,
    transactionId,
    attemptId,
    transaction: ours,
    outcome: outcomeOf(line, ours, reference, statement),
    dedupeKey: `statement ${line.kind} ${line.result} ${line.identity}`,
  }
}

function outcomeOf(
  line: StoredLine,
  ours: Ours,
  reference: string,
  { id, name, provider, country }: Statement,
): Outcome {
  const file = line.statementId === id ? name : `the statement ${line.statementId}`
  const where = `line ${line.line} of ${file} (${provider} ${country})`
  const evidence = { excerpt: `${where}: ${line.result}, ${line.amount}` }
  if (line.result !== 'succeeded') {
    const reason = `the provider's statement says ${line.result}`
    return { kind: 'declined', cause: 'declined', reason, reference: line.reference, evidence }
  }
  return {
    kind: 'succeeded',
    reference,
    amount: line.amount,
    currency: serviceOf(ours).currency,
    tokens: [],
    evidence,
  }
}

/** Another amount of a transaction that has succeeded is of the payment by which it has. */
function referenceOf(line: StoredLine, ours: Ours, isSecond: boolean): string | null {
  const isSamePayment = ours.status === 'SUCCESS' && !isSecond
  return isSamePayment ? (ours.reference ?? line.reference) : (line.reference ?? ours.reference)
}

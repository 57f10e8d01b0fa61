import type { Tx } from '../../db/db.ts'
import { isFinal } from '../../lifecycle/transitions.ts'
import type { Outcome } from '../../providers/contract.ts'
import type { Proof, Proven } from '../../transactions/prove.ts'
import { lockTransactions } from '../../transactions/store.ts'
import { serviceOf } from '../../transactions/transaction.ts'
import { insertCases, updateCases } from '../cases/case-store.ts'
import { compareLine } from '../cases/compare.ts'
import type { ReconContext } from '../context.ts'
import { explainCases } from '../cases/explain.ts'
import type { Match } from './find-ours.ts'
import { codesOf } from './find-ours.ts'
import { findLinesOf, releaseLines, updateLines } from './line-store.ts'
import type { FeeTerms } from './mapping.ts'
import type { Compared } from '../cases/match.ts'
import { edgeMs, idOf, isSettled, rowOf, suspendedOf } from '../cases/match.ts'
import type { Ours } from './match-store.ts'
import { readOurs } from './match-store.ts'
import type { Statement, StoredLine } from './statement.ts'
import { addEnded } from './statement-store.ts'

/**
 * `sift`: lines that prove nothing any more are settled. `hold`: all are, as differences. `prove`:
 * what they prove is recorded.
 */
export type How = 'sift' | 'hold' | 'prove'

export interface Group {
  /** One of each transaction. */
  lines: StoredLine[]
  fees: FeeTerms | undefined
  how: How
  /** Transactions of which their provider tells the opposite. */
  refuted: Set<string>
}

/** Settles lines under the locks of their transactions, with what they prove. */
export async function recordLines(
  tx: Tx,
  { clock, transactions }: ReconContext,
  statement: Statement,
  { lines, fees, how, refuted }: Group,
): Promise<() => void> {
  // First, so that no other evidence ends one of them between its reading and what is proven by it.
  await lockTransactions(tx, lines.map(transactionOf))
  const before = await readMatches(tx, statement, lines)
  const others = await findLinesOf(
    tx,
    before.map(({ match }) => match.ours),
  )
  const othersOf = (line: StoredLine) =>
    others.filter((one) => isOfSame(one, line) && !isSameLine(one, line))
  const verdictsOf = async (pairs: Paired[], isRecorded: boolean) => {
    const matches = pairs.map(({ match }) => match)
    const suspended = await suspendedOf(tx, statement, matches)
    return pairs.map(({ line, match }) =>
      compareLine(line, {
        ...match,
        edgeMs,
        fees,
        isRecorded: isRecorded || refuted.has(keyOf(line)),
        others: othersOf(line),
        suspended: suspended.filter((one) => one.attemptId === match.attemptId),
      }),
    )
  }
  // What has ended meanwhile as a line says needs no proof any more.
  const found = await verdictsOf(before, false)
  const proving = before.filter((_pair, index) => found[index]?.bucket === null)
  const proofs = proving.map(({ line, match }) => {
    const isSecond = othersOf(line).some(({ result }) => result === 'succeeded')
    return proofOf(line, match, statement, isSecond)
  })
  const { proven, afterCommit } = await transactions.recordProofs(tx, how === 'prove' ? proofs : [])
  const settled = how === 'sift' ? before.filter((pair) => !proving.includes(pair)) : before
  const after = await readMatches(
    tx,
    statement,
    settled.map(({ line }) => line),
  )
  const verdicts = await verdictsOf(after, true)
  const compared = after.map(({ line, match }, index): Compared => {
    const verdict = verdicts[index]
    if (verdict === undefined) throw new Error(`line ${line.line} has no verdict`)
    const { clientId, id: transactionId } = match.ours
    const owner = { clientId, transactionId, attemptId: match.attemptId }
    const told = proven[proving.findIndex((one) => one.line === line)]
    return { line, match, owner, verdict, cases: withConflict(verdict.cases, told) }
  })
  const now = clock.now()
  await updateLines(tx, statement.id, compared.map(rowOf))
  if (how === 'prove') {
    await updateCases(tx, statement, compared, now)
    await releaseLines(tx, lines)
  }
  await insertCases(tx, statement, compared, now)
  await explainCases(tx, statement, compared.filter(isSettled).map(idOf), now)
  if (how === 'prove') await addEnded(tx, statement.id, countEnded(before, after))
  return afterCommit
}

interface Paired {
  line: StoredLine
  match: Match
}

/** Lines with their transactions as they are now. */
async function readMatches(tx: Tx, statement: Statement, lines: StoredLine[]): Promise<Paired[]> {
  const found = await readOurs(tx, lines.map(transactionOf), codesOf(statement))
  return lines.map((line) => {
    const ours = found.find((one) => isOfSame({ ...one, transactionId: one.id }, line))
    if (ours === undefined) throw new Error(`no transaction ${line.transactionId}`)
    // A line by which a transaction is declined was found by our id; for others it says nothing.
    return { line, match: { ours, attemptId: line.attemptId ?? ours.attemptId, isNamed: true } }
  })
}

/** What names the transaction of a line. */
export function keyOf({ clientId, transactionId }: StoredLine): string {
  return `${clientId} ${transactionId}`
}

export function transactionOf({ clientId, transactionId }: StoredLine) {
  return { clientId: clientId ?? 0, id: transactionId ?? '' }
}

function isOfSame(
  one: Pick<StoredLine, 'clientId' | 'transactionId'>,
  other: Pick<StoredLine, 'clientId' | 'transactionId'>,
): boolean {
  return one.clientId === other.clientId && one.transactionId === other.transactionId
}

function isSameLine(one: StoredLine, other: StoredLine): boolean {
  return one.statementId === other.statementId && one.line === other.line
}

function isEnded({ ours }: Match): boolean {
  return isFinal('transaction', ours.status)
}

/** How many transactions were open before and are not now. */
function countEnded(before: Paired[], after: Paired[]): number {
  return after.filter(
    ({ match }, index) => isEnded(match) && before[index] && !isEnded(before[index].match),
  ).length
}

function withConflict(cases: Compared['cases'], proven: Proven): Compared['cases'] {
  const conflictId = proven?.conflicts[0]?.id
  if (conflictId === undefined) return cases
  return cases.map((one) => ({ ...one, details: { ...one.details, conflictId } }))
}

function proofOf(
  line: StoredLine,
  { ours, attemptId }: Match,
  statement: Statement,
  isSecond: boolean,
): Proof {
  const { clientId, id: transactionId } = ours
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
  { name, provider, country }: Statement,
): Outcome {
  const where = `line ${line.line} of ${name} (${provider} ${country})`
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

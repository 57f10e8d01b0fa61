import { parseServiceCode } from '../catalog/services.ts'
import type { Tx } from '../db/db.ts'
import { isFinal } from '../lifecycle/transitions.ts'
import type { Outcome } from '../providers/contract.ts'
import type { Proof, Proven } from '../transactions/prove.ts'
import { lockTransactions } from '../transactions/store.ts'
import { isMeterTopUp, serviceOf } from '../transactions/transaction.ts'
import { insertCases } from './case-store.ts'
import { compareLine } from './compare.ts'
import type { ReconContext } from './context.ts'
import { explainCases } from './explain.ts'
import type { Match } from './find-ours.ts'
import { codesOf } from './find-ours.ts'
import { findLinesOf, readProving, updateLines } from './line-store.ts'
import type { FeeTerms } from './mapping.ts'
import type { Compared } from './match.ts'
import { edgeMs, idOf, isSettled, rowOf, suspendedOf } from './match.ts'
import type { Ours } from './match-store.ts'
import { readOurs } from './match-store.ts'
import type { Statement, StoredLine } from './statement.ts'
import { addEnded } from './store.ts'
import type { ImportContext } from './turn.ts'

// Each group locks the accounts of its merchants while it is written.
const provenAtOnce = 50

/**
 * Records what lines prove about their transactions, a group at a time: the evidence, what it does,
 * and what the lines are found to be, together or not at all.
 */
export async function proveAll(
  context: ImportContext,
  statement: Statement,
  fees: FeeTerms | undefined,
): Promise<void> {
  const { db, write } = context
  for (;;) {
    const lines = distinctTransactions(await readProving(db, statement.id, provenAtOnce))
    if (lines.length === 0) return
    await askForCodes(context, statement, lines)
    const afterCommit = await write((tx) => proveSome(tx, context, statement, { lines, fees }))
    afterCommit()
  }
}

/**
 * Asks billers for the recharge codes of top-ups that lines prove to be paid, before the lines end
 * them: no statement has codes. Whatever is not told now is asked for again after the end.
 */
async function askForCodes(
  { transactions, log }: ReconContext,
  statement: Statement,
  lines: StoredLine[],
): Promise<void> {
  if (!codesOf(statement).some((code) => parseServiceCode(code)?.isPrepaid)) return
  const paid = lines.filter(({ result }) => result === 'succeeded')
  await Promise.all(
    paid.map(async ({ clientId, transactionId }) => {
      const id = { clientId: clientId ?? 0, id: transactionId ?? '' }
      const one = await transactions.findById(id)
      if (one === undefined || one.completedAt !== null || !isMeterTopUp(one)) return
      await transactions.askForToken(one).catch((problem: unknown) => {
        log.error({ err: problem, transactionId }, 'a recharge code will be asked for again')
      })
    }),
  )
}

/** The first line of each transaction: the next one sees what it did. */
function distinctTransactions(lines: StoredLine[]): StoredLine[] {
  const first = new Map<string, StoredLine>()
  for (const line of lines) {
    const key = `${line.clientId} ${line.transactionId}`
    if (!first.has(key)) first.set(key, line)
  }
  return [...first.values()]
}

async function proveSome(
  tx: Tx,
  { clock, transactions }: ReconContext,
  statement: Statement,
  { lines, fees }: { lines: StoredLine[]; fees: FeeTerms | undefined },
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
  const proofs = before.map(({ line, match }) => {
    const isSecond = othersOf(line).some(({ result }) => result === 'succeeded')
    return proofOf(line, match, statement, isSecond)
  })
  const { proven, afterCommit } = await transactions.recordProofs(tx, proofs)
  const after = await readMatches(tx, statement, lines)
  const suspended = await suspendedOf(
    tx,
    statement,
    after.map(({ match }) => match),
  )
  const compared = after.map(({ line, match }, index): Compared => {
    const verdict = compareLine(line, {
      ...match,
      edgeMs,
      fees,
      isRecorded: true,
      others: othersOf(line),
      suspended: suspended.filter((one) => one.attemptId === match.attemptId),
    })
    const { clientId, id: transactionId } = match.ours
    const owner = { clientId, transactionId, attemptId: match.attemptId }
    return { line, match, owner, verdict, cases: withConflict(verdict.cases, proven[index]) }
  })
  const now = clock.now()
  await updateLines(tx, statement.id, compared.map(rowOf))
  await insertCases(tx, statement, compared, now)
  await explainCases(tx, statement, compared.filter(isSettled).map(idOf), now)
  await addEnded(tx, statement.id, countEnded(before, after))
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

function transactionOf({ clientId, transactionId }: StoredLine) {
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

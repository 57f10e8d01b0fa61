import type { CaseKind, Side } from './case.ts'
import type { FeeTerms } from '../import/mapping.ts'
import { expectedFee } from '../import/mapping.ts'
import type { Ours, Suspended } from '../import/match-store.ts'
import type { Bucket, StoredLine } from '../import/statement.ts'
import { effectOf } from '../import/statement.ts'

/** What is known beside a line and its transaction. */
export interface Facts {
  /** The line before it that is known by the same; undefined: there is none. */
  earlier?: StoredLine | undefined
  /** Our transaction; undefined: none was found. */
  ours?: Ours | undefined
  /** The attempt of ours that it is about. */
  attemptId?: string | undefined
  /** Whether it was found by the id that we gave the provider. */
  isNamed?: boolean
  /** Other lines about the transaction that were compared before. */
  others?: StoredLine[]
  /** Its money that was put in suspense. */
  suspended?: Suspended[]
  fees?: FeeTerms | undefined
  /** Whether its evidence has been recorded. */
  isRecorded?: boolean
  /** How far clocks may differ. */
  edgeMs: number
}

export interface CaseDraft {
  kind: CaseKind
  amount: number
  details: { theirs: Side; ours?: Side; earlier?: Side }
}

/** What a line was found to be. Without a bucket its evidence has to be recorded first. */
export interface Verdict {
  bucket: Bucket | null
  cases: CaseDraft[]
  booked: number | null
  bookedAt: Date | null
}

/** Compares a line with what we know. Pure: reads and writes nothing. */
export function compareLine(line: StoredLine, facts: Facts): Verdict {
  const repeated = compareRepeated(line, facts)
  if (repeated !== undefined) return repeated
  if (line.kind === 'fee' || line.kind === 'transfer') return verdict('matched')
  const { ours } = facts
  if (ours === undefined)
    return verdict('theirs_only', [draft('theirs_only', effectOf(line), line)])
  if (isEvidence(line, ours, facts)) return verdict(null)
  const { booked, bookedAt } = bookedOf(line, ours, facts)
  const stake = effectOf(line) + line.fee - (booked ?? 0)
  const cases = [
    ...secondCase(line, ours, facts, stake),
    ...statusCase(line, ours, facts, stake),
    ...amountCase(line, ours, facts, stake),
    ...feeCase(line, ours, facts),
    ...dayCase(line, ours, facts),
  ]
  return { ...verdict(cases.length === 0 ? 'matched' : 'different', cases), booked, bookedAt }
}

/** A line that was there before; undefined: it is new, or says the next thing about its order. */
function compareRepeated(line: StoredLine, { earlier }: Facts): Verdict | undefined {
  if (earlier === undefined) return undefined
  const isSameFile = earlier.statementId === line.statementId
  const isNext =
    line.result !== earlier.result && (earlier.result === 'pending' || line.result === 'reversed')
  if (isNext) return undefined
  const changed = (['amount', 'result', 'fee'] as const).find(
    (field) => line[field] !== earlier[field],
  )
  if (changed === undefined && (!isSameFile || line.result !== 'succeeded')) return verdict('known')
  const kind = isSameFile || changed === undefined ? 'duplicate' : caseOf[changed]
  const stake = effectOf(line) - (isSameFile ? 0 : effectOf(earlier))
  return verdict('different', [draft(kind, stake, line, undefined, earlier)])
}

const caseOf = { amount: 'amount', result: 'status', fee: 'fee' } as const

const finals = new Set(['SUCCESS', 'FAILED', 'CANCELLED'])

/** Whether a line says what its transaction has to be told. */
function isEvidence(line: StoredLine, ours: Ours, facts: Facts): boolean {
  if (facts.isRecorded || line.result === 'pending') return false
  const isOpen = !finals.has(ours.status)
  if (line.result === 'succeeded') {
    // Its money is in suspense already, whatever reference it was reported under.
    if (ours.status !== 'SUCCESS') return isOpen || unclaimed(facts).length === 0
    return isSecondPayment(line, ours, facts) || line.amount !== ours.amount
  }
  // Only a line that names the attempt that counts says that it came to nothing.
  const isCurrent = facts.isNamed === true && facts.attemptId === ours.attemptId
  return isCurrent && (isOpen || ours.status === 'SUCCESS')
}

/**
 * Whether a line tells of another payment of the same order: the one by which it succeeded has a
 * line of its own, under the reference that the provider gave us.
 */
function isSecondPayment(line: StoredLine, ours: Ours, facts: Facts): boolean {
  const first = firstPayment(facts)
  return first !== undefined && first.reference === ours.reference && line.reference !== null
}

function firstPayment({ others = [] }: Facts): StoredLine | undefined {
  return others.find(({ result }) => result === 'succeeded')
}

/** What our ledger has of a line at the provider. Each posting belongs to one line. */
function bookedOf(
  line: StoredLine,
  ours: Ours,
  facts: Facts,
): Pick<Verdict, 'booked' | 'bookedAt'> {
  const { others = [] } = facts
  const isFirst = !others.some(({ booked }) => booked !== null)
  if (ours.status === 'SUCCESS' && isFirst && line.result !== 'pending')
    return { booked: directionOf(ours) * ours.amount, bookedAt: ours.completedAt }
  const own = unclaimed(facts)
  const found = own.find(({ ref }) => ref.endsWith(`/${line.reference}`)) ?? own[0]
  return line.result === 'succeeded' && found !== undefined
    ? { booked: found.booked, bookedAt: found.bookedAt }
    : { booked: null, bookedAt: null }
}

/** Postings to suspense that no other line has. */
function unclaimed({ others = [], suspended = [] }: Facts): Suspended[] {
  const taken = new Set(others.map(({ bookedAt }) => bookedAt?.getTime()))
  return suspended.filter(({ bookedAt }) => !taken.has(bookedAt.getTime()))
}

/** 1: the provider holds more for us after such an order. */
export function directionOf({ operation }: Pick<Ours, 'operation'>): 1 | -1 {
  return operation === 'CASHOUT' ? 1 : -1
}

function secondCase(line: StoredLine, ours: Ours, facts: Facts, stake: number): CaseDraft[] {
  const first = line.result === 'succeeded' ? firstPayment(facts) : undefined
  return first === undefined ? [] : [draft('duplicate', stake, line, ours, first)]
}

function statusCase(line: StoredLine, ours: Ours, facts: Facts, stake: number): CaseDraft[] {
  const isOpen = !finals.has(ours.status)
  const agrees = {
    succeeded: ours.status === 'SUCCESS' || (isOpen && line.amount !== ours.amount),
    pending: isOpen,
    failed: (!isOpen && ours.status !== 'SUCCESS') || facts.attemptId !== ours.attemptId,
    reversed: !isOpen && ours.status !== 'SUCCESS',
  }[line.result]
  return agrees ? [] : [draft('status', stake, line, ours)]
}

function amountCase(line: StoredLine, ours: Ours, facts: Facts, stake: number): CaseDraft[] {
  const isSame = line.amount === ours.amount || line.result !== 'succeeded'
  const isOther = firstPayment(facts) !== undefined || ['FAILED', 'CANCELLED'].includes(ours.status)
  return isSame || isOther ? [] : [draft('amount', stake, line, ours)]
}

function feeCase(line: StoredLine, ours: Ours, { fees }: Facts): CaseDraft[] {
  const expected = line.result === 'succeeded' ? expectedFee(fees, line) : undefined
  if (expected === undefined || expected === line.fee) return []
  const one = draft('fee', expected - line.fee, line, ours)
  return [{ ...one, details: { ...one.details, ours: { ...one.details.ours, fee: expected } } }]
}

const dayMs = 86_400_000

/**
 * Another day than can be: before the order was made or after its end was known. That a provider is
 * a day ahead of what we knew is no difference.
 */
function dayCase(line: StoredLine, ours: Ours, { edgeMs }: Facts): CaseDraft[] {
  const at = line.at.getTime()
  const isBefore = at < ours.createdAt.getTime() - edgeMs
  const isAfter = ours.completedAt !== null && at > ours.completedAt.getTime() + edgeMs
  const limit = isBefore ? ours.createdAt : ours.completedAt
  const isOther = (isBefore || isAfter) && limit !== null && dayOf(at) !== dayOf(limit.getTime())
  return isOther && line.result !== 'pending' ? [draft('day', 0, line, ours)] : []
}

function dayOf(ms: number): number {
  return Math.floor(ms / dayMs)
}

function draft(
  kind: CaseKind,
  amount: number,
  line: StoredLine,
  ours?: Ours,
  earlier?: StoredLine,
): CaseDraft {
  return {
    kind,
    amount,
    details: {
      theirs: theirSide(line),
      ...(ours === undefined ? {} : { ours: ourSide(ours) }),
      ...(earlier === undefined ? {} : { earlier: theirSide(earlier) }),
    },
  }
}

function theirSide({ amount, fee, result, at, reference, phone, kind }: StoredLine): Side {
  return { amount, fee, status: result, at: at.toISOString(), reference, phone, kind }
}

function ourSide({ amount, status, completedAt, createdAt, reference, phone }: Ours): Side {
  const at = (completedAt ?? createdAt).toISOString()
  return { amount, status, at, reference, phone }
}

function verdict(bucket: Bucket | null, cases: CaseDraft[] = []): Verdict {
  return { bucket, cases, booked: null, bookedAt: null }
}

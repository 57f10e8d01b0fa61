import { after } from '#base/kit/clock.ts'
import { dayOf } from '#base/kit/zoned-days.ts'
import { namesOurs } from '../import/find-ours.ts'
import { expectedFee, type FeeTerms } from '../import/mapping.ts'
import type { Ours, Suspended } from '../import/match-store.ts'
import { type Bucket, endOf, feeOf, isOwn, paidOf, type StoredLine } from '../import/statement.ts'
import type { CaseKind, Side } from './case.ts'
import { type Claim, claimsOf, firstOf, strangeClaims } from './claims.ts'
import { type Fact, factsOf, lineKey } from './facts.ts'

/** All that is told of one transaction of ours, or of a stranger, and what our books have of it. */
export interface Payment {
  lines: StoredLine[]
  /** Undefined: it is none of ours. */
  ours: Ours | undefined
  /** Its money that is or was in suspense. */
  suspended: Suspended[]
}

/** What verdicts depend on beside facts and books. */
export interface Terms {
  fees: FeeTerms | undefined
  /** Of the days of the provider. */
  timeZone: string
  /** The statement that is imported: its contradictions are recorded. */
  statementId: string
  /** Lines whose evidence has been recorded, or is not to be. */
  recorded: ReadonlySet<string>
  /** Lines of other statements whose contradictions and payments are recorded too. */
  proving?: ReadonlySet<string>
}

/** How far the clocks of a provider and ours may differ, and how late its lines may be. */
export const edgeMs = 600_000

export interface CaseDraft {
  kind: CaseKind
  amount: number
  details: { theirs: Side; ours?: Side; earlier?: Side }
}

/** What a line was found to be. */
export interface Verdict {
  line: StoredLine
  bucket: Bucket
  cases: CaseDraft[]
  booked: number | null
  bookedAt: Date | null
}

/** What a payment was found to be. */
export interface Judgement {
  payment: Payment
  facts: Fact[]
  verdicts: Verdict[]
  /** Whose evidence is to be recorded before the verdicts count, and whether it was paid before. */
  proof: { line: StoredLine; isSecond: boolean } | undefined
  /** What tells of the success that we have. */
  holder: Fact | undefined
}

/** What all is judged by. */
interface Known {
  facts: Fact[]
  /** Those by which money has moved, and those that have come to something. */
  paid: Fact[]
  ended: Fact[]
  ours: Ours
  terms: Terms
  /** The payment by which it has succeeded, or would. */
  first: Fact | undefined
  /** The fact that stands for our success. */
  holder: Fact | undefined
  claims: Map<Fact, Claim>
}

/** Finds what lines are: a function of the facts, the books and the terms alone. */
export function judge(payment: Payment, terms: Terms): Judgement {
  const { ours, lines, suspended } = payment
  const facts = factsOf(lines, ours)
  if (ours === undefined) {
    const claims = strangeClaims(facts, suspended)
    const verdicts = facts.flatMap((fact) =>
      verdictsOf(fact, claims.get(fact), strangeCases(fact, facts, claims.get(fact))),
    )
    return { payment, facts, verdicts, proof: undefined, holder: undefined }
  }
  const one = knownOf(facts, ours, suspended, terms)
  const { claims, holder } = one
  const verdicts = facts.flatMap((fact) => verdictsOf(fact, claims.get(fact), casesOf(fact, one)))
  return { payment, facts, verdicts, proof: proofIn(one), holder }
}

/** Every line of a payment whose evidence is to be recorded, if each that comes before is. */
export function proofsOf({ facts, payment }: Judgement, terms: Terms): StoredLine[] {
  if (payment.ours === undefined) return []
  const recorded = new Set(terms.recorded)
  const one = knownOf(facts, payment.ours, payment.suspended, { ...terms, recorded })
  const lines: StoredLine[] = []
  for (let proof = proofIn(one); proof !== undefined; proof = proofIn(one)) {
    lines.push(proof.line)
    recorded.add(lineKey(proof.line))
  }
  return lines
}

function knownOf(facts: Fact[], ours: Ours, suspended: Suspended[], terms: Terms): Known {
  const first = firstOf(facts, ours)
  const paid = facts.filter((one) => one.paid !== undefined)
  const ended = facts.filter(({ current }) => current.result !== 'pending')
  const books = claimsOf({ facts, first, ours, suspended })
  return { facts, paid, ended, ours, terms, first, ...books }
}

/** The line that counts has the cases; the one by which money moved has what is booked of it. */
function verdictsOf({ lines, current }: Fact, claim: Claim | undefined, cases: CaseDraft[]) {
  return lines.map((line): Verdict => {
    const own = claim?.line === line ? claim : undefined
    const booking = { booked: own?.booked ?? null, bookedAt: own?.bookedAt ?? null }
    if (line === current) return { line, bucket: bucketOf(cases), cases, ...booking }
    return { line, bucket: own === undefined ? 'known' : 'matched', cases: [], ...booking }
  })
}

function bucketOf([first]: CaseDraft[]): Bucket {
  if (first === undefined) return 'matched'
  return first.kind === 'theirs_only' ? 'theirs_only' : 'different'
}

function strangeCases(
  { current, number }: Fact,
  facts: Fact[],
  claim: Claim | undefined,
): CaseDraft[] {
  const isAgain = number > 1
  const stake = paidOf(current) - (isAgain ? feeOf(current) : 0) - (claim?.booked ?? 0)
  const before = facts.find((one) => one.number === 1)?.current
  if (isAgain) return [draft('duplicate', stake, current, undefined, before)]
  // What was put in suspense is no difference.
  const isBooked = claim !== undefined && stake === 0
  return isOwn(current) || isBooked ? [] : [draft('theirs_only', stake, current)]
}

const unpaid = new Set(['FAILED', 'CANCELLED'])

function isOpen({ status }: Ours): boolean {
  return status !== 'SUCCESS' && !unpaid.has(status)
}

/** The line whose evidence comes next: what was paid before what was not. */
function proofIn(one: Known): Judgement['proof'] {
  const isNew = ({ current }: Fact) => !one.terms.recorded.has(lineKey(current))
  const paid = one.facts.find((fact) => isNew(fact) && isPaymentProof(fact, one))
  if (paid !== undefined) return { line: paid.current, isSecond: paid !== one.first }
  const contradiction = one.facts.find((fact) => isNew(fact) && isContradiction(fact, one))
  return contradiction && { line: contradiction.current, isSecond: false }
}

/** Whether it is asked now what a line proves: it is imported, or waited for a second person. */
function isAsked(line: StoredLine, { statementId, proving }: Terms): boolean {
  return line.statementId === statementId || (proving?.has(lineKey(line)) ?? false)
}

/** Whether a fact tells of money that our books do not have. */
function isPaymentProof(fact: Fact, { ours, first, claims, terms }: Known): boolean {
  const { current } = fact
  if (current.result !== 'succeeded' || claims.has(fact)) return false
  // What a file before told is proven again only if another line has what it stood for.
  if (!isAsked(current, terms) && current.booked === null) return false
  if (fact === first || first === undefined) return true
  const isFirstKnown =
    first.current.reference === ours.reference || terms.recorded.has(lineKey(first.current))
  const { reference } = current
  return isFirstKnown && reference !== null && reference !== first.current.reference
}

/** Whether a fact says the opposite of what our books have, or what an open payment waits for. */
function isContradiction(fact: Fact, { ours, facts, first, holder, terms }: Known): boolean {
  const { current } = fact
  if (!isAsked(current, terms)) return false
  if (current.result === 'succeeded')
    return ours.status === 'SUCCESS' && fact === first && current.amount !== ours.amount
  // Only a line that names the attempt that counts says that it came to nothing.
  const isCurrent = namesOurs(current, ours) && current.attemptId === ours.attemptId
  if (current.result === 'pending' || !isCurrent) return false
  if (ours.status === 'SUCCESS') return fact === holder
  return isOpen(ours) && !facts.some(({ current: { result } }) => result === 'succeeded')
}

function casesOf(fact: Fact, one: Known): CaseDraft[] {
  const { ours, first, claims, terms } = one
  const { current } = fact
  const stake =
    paidOf(current) - (claims.get(fact)?.booked ?? 0) - (fact.number > 1 ? feeOf(current) : 0)
  const isSecond = current.result === 'succeeded' && first !== undefined && fact !== first
  const isOther = current.result === 'succeeded' && current.amount !== ours.amount
  const kind = isSecond
    ? 'duplicate'
    : !agrees(fact, one)
      ? 'status'
      : isOther
        ? 'amount'
        : undefined
  return [
    ...(kind === undefined
      ? []
      : [draft(kind, stake, current, ours, isSecond ? first?.current : undefined)]),
    ...feeCase(current, ours, terms),
    ...dayCase(current, ours, terms),
  ]
}

/** Whether a fact and our transaction have come to the same. */
function agrees(fact: Fact, { ours, paid, ended, holder, claims }: Known): boolean {
  const { result, attemptId, amount } = fact.current
  switch (result) {
    case 'pending':
      return isOpen(ours) || (fact !== holder && ended.length > 0)
    case 'succeeded':
      return ours.status === 'SUCCESS' || (isOpen(ours) && amount !== ours.amount)
    case 'failed':
      // A try before, or beside one that was paid, came to nothing by itself.
      return (
        !claims.has(fact) &&
        (unpaid.has(ours.status) ||
          attemptId !== ours.attemptId ||
          paid.some((one) => one !== fact))
      )
    case 'reversed':
      // Under a reference of its own it may be the payment itself that was reversed.
      return (
        !isOpen(ours) &&
        fact !== holder &&
        !claims.has(fact) &&
        (ours.status !== 'SUCCESS' || attemptId !== ours.attemptId || fact.paid !== undefined)
      )
  }
}

function feeCase(line: StoredLine, ours: Ours, { fees }: Terms): CaseDraft[] {
  const expected = line.result === 'succeeded' ? expectedFee(fees, line) : undefined
  if (expected === undefined || expected === line.fee) return []
  const one = draft('fee', expected - line.fee, line, ours)
  return [{ ...one, details: { ...one.details, ours: { ...one.details.ours, fee: expected } } }]
}

/**
 * Another day than can be: before the order was made or after its end was known. That a provider is
 * a day ahead of what we knew is no difference.
 */
function dayCase(line: StoredLine, ours: Ours, { timeZone }: Terms): CaseDraft[] {
  const isBefore = endOf(line) < after(ours.createdAt, -edgeMs)
  const isAfter = ours.completedAt !== null && line.at > after(ours.completedAt, edgeMs)
  const limit = isBefore ? ours.createdAt : ours.completedAt
  if ((!isBefore && !isAfter) || limit === null || line.result !== 'succeeded') return []
  return dayOf(line.at, timeZone) === dayOf(limit, timeZone) ? [] : [draft('day', 0, line, ours)]
}

function draft(
  kind: CaseKind,
  amount: number,
  line: StoredLine,
  ours?: Ours,
  earlier?: StoredLine,
): CaseDraft {
  const before = earlier === undefined ? {} : { earlier: theirSide(earlier) }
  return { kind, amount, details: { ...sidesOf(line, ours), ...before } }
}

/** What a line and our books say. */
export function sidesOf(line: StoredLine, ours: Ours | undefined): { theirs: Side; ours?: Side } {
  return { theirs: theirSide(line), ...(ours === undefined ? {} : { ours: ourSide(ours) }) }
}

function theirSide({ amount, fee, result, at, isDay, reference, phone, kind }: StoredLine): Side {
  const day = isDay ? { isDay } : {}
  return { amount, fee, status: result, at: at.toISOString(), ...day, reference, phone, kind }
}

function ourSide({ amount, status, completedAt, createdAt, reference, phone }: Ours): Side {
  const at = (completedAt ?? createdAt).toISOString()
  return { amount, status, at, reference, phone }
}

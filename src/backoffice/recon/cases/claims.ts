import type { Ours, Suspended } from '../import/match-store.ts'
import type { StoredLine } from '../import/statement.ts'
import type { Fact } from './facts.ts'

/** What our ledger has of a fact at the provider. Each posting belongs to one fact. */
export interface Claim {
  line: StoredLine
  /** Above zero: the provider holds more. */
  booked: number
  bookedAt: Date
}

/** 1: the provider holds more for us after such an order. */
export function directionOf({ operation }: Pick<Ours, 'operation'>): 1 | -1 {
  return operation === 'CASHOUT' ? 1 : -1
}

/** The payment by which a transaction has succeeded, as far as it is told; else the first one. */
export function firstOf(facts: Fact[], { reference }: Ours): Fact | undefined {
  const paid = facts.filter(({ paid: line, number }) => line !== undefined && number === 1)
  return (
    paid.find(({ current }) => reference !== null && current.reference === reference) ??
    paid.find(({ current }) => current.result === 'succeeded') ??
    paid[0]
  )
}

/** Which fact stands for our success, and what our books have of each. */
export function claimsOf({
  facts,
  first,
  ours,
  suspended,
}: {
  facts: Fact[]
  first: Fact | undefined
  ours: Ours
  suspended: Suspended[]
}): { claims: Map<Fact, Claim>; holder: Fact | undefined } {
  const claims = new Map<Fact, Claim>()
  const { status, completedAt } = ours
  const holder = status === 'SUCCESS' ? (first ?? unpaidHolder(facts, ours)) : undefined
  if (holder !== undefined && completedAt !== null) {
    const booked = directionOf(ours) * ours.amount
    claims.set(holder, { line: holder.paid ?? holder.current, booked, bookedAt: completedAt })
  }
  const left = new Set(suspended)
  const wanting = () => facts.filter((one) => one.paid !== undefined && !claims.has(one))
  const take = (fact: Fact, found: Suspended | undefined) => {
    const { paid } = fact
    if (found === undefined || paid === undefined) return
    left.delete(found)
    claims.set(fact, { line: paid, booked: found.booked, bookedAt: found.bookedAt })
  }
  for (const fact of wanting())
    take(
      fact,
      [...left].find(({ ref }) => ref.endsWith(`/${fact.current.reference}`)),
    )
  // Its money is in suspense already, whatever reference it was reported under.
  for (const fact of wanting())
    take(
      fact,
      [...left].find(
        ({ attemptId, booked }) =>
          attemptId === (fact.current.attemptId ?? ours.attemptId) &&
          (completedAt !== null || Math.abs(booked) === fact.current.amount),
      ),
    )
  return { claims, holder }
}

/** What our books have in suspense of facts that are none of ours. */
export function strangeClaims(facts: Fact[], suspended: Suspended[]): Map<Fact, Claim> {
  const claims = new Map<Fact, Claim>()
  const last = suspended.at(-1)
  const first = facts.find(({ number }) => number === 1)
  if (last === undefined || first === undefined) return claims
  const booked = suspended.reduce((sum, one) => sum + one.booked, 0)
  return claims.set(first, { line: first.current, booked, bookedAt: last.bookedAt })
}

/** What says something else of our success than that it was paid. */
function unpaidHolder(facts: Fact[], { attemptId }: Ours): Fact | undefined {
  const own = facts.filter(
    ({ current }) => current.result !== 'failed' || current.attemptId === attemptId,
  )
  return own.find(({ current }) => current.result !== 'pending') ?? own[0]
}

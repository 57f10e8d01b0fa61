import { after } from '#base/kit/clock.ts'
import { may, type OperatorRole } from '../rights.ts'

/** An operator, as it matters where two people have to decide. */
export interface Approver {
  email: string
  role: OperatorRole
  /** Since when they may approve; null: at once, as the command line of the server made them. */
  since: Date | null
  /** Who gave them that right, and everybody who has invited them. */
  givenBy: string[]
}

const dayMs = 86_400_000

export function mayApprove({ role }: Pick<Approver, 'role'>): boolean {
  return may(role, 'ops.money.approve')
}

type Known = Pick<Approver, 'email' | 'givenBy'>

/** Whether two may be the same person under two addresses: one has let the other in. */
export function mayBeOne(one: Known, other: Known): boolean {
  return (
    one.givenBy.some((by) => isSame(by, other.email)) ||
    other.givenBy.some((by) => isSame(by, one.email))
  )
}

/** Whether the right to approve was given less than so many days ago. */
export function isTooNew({ since }: Approver, days: number, now: Date): boolean {
  return since !== null && after(since, days * dayMs) > now
}

/** Whether two addresses are the same one. */
export function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** How many are in a pair of whom each may approve today what the other proposes. */
export function countPaired(all: Approver[], days: number, now: Date): number {
  const able = all.filter((one) => mayApprove(one) && !isTooNew(one, days, now))
  return able.filter((one) => able.some((other) => other !== one && !mayBeOne(one, other))).length
}

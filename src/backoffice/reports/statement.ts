import type { Db } from '#data/db/db.ts'
import { longRead } from '#data/db/long-read.ts'
import { refuseUnsummed } from './movements.ts'
import { findVersionBefore, readBalanceAt, type VersionRange } from './movements-store.ts'
import { type MovementSum, readSums } from './statement-store.ts'

/** What a movement of the available account is for. */
export type MovementCategory =
  | 'collection'
  | 'payout'
  | 'airtime'
  | 'bill'
  | 'refund'
  | 'funding'
  | 'withdrawal'
  | 'correction'
  | 'other'

export interface StatementLine {
  category: MovementCategory
  count: number
  /** Without the fees; what failed and came back is subtracted. */
  amount: number
  /** Below zero: paid. */
  fee: number
}

/** An account's statement: opening + all amounts and fees = closing. */
export interface Statement {
  from: Date
  to: Date
  opening: number
  /** In the order of their categories. */
  lines: StatementLine[]
  /** All fees of the lines. */
  fee: number
  closing: number
  /** The entries that it adds up. */
  versions: VersionRange
}

const hourMs = 3_600_000

/**
 * The statement of a client's available account from a time up to another; both are taken down to
 * whole hours, at which days begin in each zone of the region. The end of a statement is the start
 * of the next one: an entry belongs to exactly one.
 */
export function readStatement(
  db: Db,
  clientId: number,
  range: { from: Date; to: Date },
  unsummedMax?: number,
): Promise<Statement> {
  const from = wholeHour(range.from)
  const to = wholeHour(range.to)
  return longRead(db, async (tx) => {
    await refuseUnsummed(tx, clientId, unsummedMax)
    const above = await findVersionBefore(tx, clientId, from)
    const upTo = Math.max(above, await findVersionBefore(tx, clientId, to))
    const opening = await readBalanceAt(tx, clientId, above)
    const closing = await readBalanceAt(tx, clientId, upTo)
    const sums = await readSums(tx, { clientId, above, upTo }, { from, to })
    const moved = sums.reduce((sum, { amount }) => sum + amount, 0)
    if (opening + moved !== closing)
      throw new Error(`the statement of client ${clientId} goes from ${opening} by ${moved}`)
    const fee = sums.reduce((sum, one) => sum + one.fee, 0)
    const versions = { clientId, above, upTo }
    return { from, to, opening, lines: linesOf(sums), fee, closing, versions }
  })
}

function wholeHour(time: Date): Date {
  return new Date(Math.floor(time.getTime() / hourMs) * hourMs)
}

const byOperation = {
  CASHOUT: 'collection',
  CASHIN: 'payout',
  AIRTIME: 'airtime',
  BILL: 'bill',
  REFUND: 'refund',
} as const

const byKind: Partial<Record<MovementSum['kind'], MovementCategory>> = {
  fund: 'funding',
  withdraw: 'withdrawal',
  explain: 'correction',
  adjust: 'correction',
  collect: 'collection',
}

/** What a movement is for, by its posting's kind and its transaction's operation. */
export function categoryOf({
  kind,
  operation,
}: {
  kind: MovementSum['kind']
  operation: MovementSum['operation'] | null
}): MovementCategory {
  return operation ? byOperation[operation] : (byKind[kind] ?? 'other')
}

function linesOf(sums: MovementSum[]): StatementLine[] {
  const groups = [...Map.groupBy(sums, categoryOf)].toSorted(([one], [other]) =>
    one.localeCompare(other),
  )
  return groups.map(([category, group]) => {
    const line = { category, count: 0, amount: 0, fee: 0 }
    for (const { count, amount, fee } of group) {
      line.count += count
      line.amount += amount - fee
      line.fee += fee
    }
    return line
  })
}

import { after } from '#base/kit/clock.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Tx } from '#data/db/db.ts'
import { longRead } from '#data/db/long-read.ts'
import { edgeMs } from '../cases/judge.ts'
import type { ReconContext } from '../context.ts'
import { accountOf, type Party, type Statement } from '../import/statement.ts'
import {
  findSummed,
  planFreely,
  readBefore,
  readUnsummed,
  sumLedger,
  sumLines,
  sumOthers,
  sumOwn,
  sumOwnShifted,
  sumShifted,
  sumUnclaimed,
  writeLedger,
} from './balance-store.ts'

/** Why a statement and the ledger differ. */
export type PartName =
  /** They differed before its first line. */
  | 'opening'
  /** Its lines do not add up to the balances that it tells. */
  | 'lines'
  | 'theirs_only'
  | 'different'
  | 'ours_only'
  /** Fees and transfers that are not booked. */
  | 'fees'
  /** Lines that another statement has, too. */
  | 'overlap'
  /** What was booked by hand, or is in suspense, without a line. */
  | 'by_hand'

export interface Balance {
  /** What the provider holds for us at its end: by the statement, by the ledger. */
  statement: number
  ledger: number
  /** The first less the second. The parts add up to it. */
  difference: number
  parts: { name: PartName; amount: number; count: number }[]
  /** Where the balance of the statement comes from. */
  source: 'file' | 'statement_before' | 'ledger'
}

/**
 * Compares what a provider holds for us at the end of a statement with our ledger, and names each
 * part of the difference. Money counts at the time that the provider moved it, wherever a line
 * tells it, and fees and transfers at the end of their statement.
 */
export async function balanceOf(context: ReconContext, statement: Statement): Promise<Balance> {
  const { id, fromAt: from, toAt: to, state } = statement
  if (state !== 'read' || from === null || to === null)
    throw new Refusal('conflict', 'The statement is still being read')
  const account = accountOf(statement)
  return longRead(context.db, async (tx) => {
    await planFreely(tx)
    const ledgerTo = await ledgerAt(tx, statement, to)
    const ledgerFrom = await ledgerAt(tx, statement, from)
    const { opening, source } = await openingOf(tx, statement, ledgerFrom)
    const closing = statement.closing ?? opening + statement.net
    const lines = await sumLines(tx, id)
    const of = (name: string) => lines.find(({ bucket }) => bucket === name)
    const others = await sumOthers(tx, statement, account, { from, to })
    const own = await sumOwn(tx, id, account)
    const unclaimed = await sumUnclaimed(tx, account, { from, to })
    const shown = lines.reduce((sum, one) => sum + (one.bucket === 'known' ? 0 : one.own), 0)
    const parts: Balance['parts'] = [
      { name: 'opening', amount: opening - ledgerFrom, count: 1 },
      { name: 'lines', amount: closing - opening - statement.net, count: 1 },
      {
        name: 'theirs_only',
        amount: of('theirs_only')?.moved ?? 0,
        count: of('theirs_only')?.count ?? 0,
      },
      {
        name: 'different',
        amount: (of('different')?.moved ?? 0) + (of('matched')?.moved ?? 0),
        count: (of('different')?.count ?? 0) + (of('matched')?.count ?? 0),
      },
      { name: 'ours_only', amount: -unclaimed.successes, count: unclaimed.successCount },
      { name: 'fees', amount: shown - own, count: 1 },
      {
        name: 'overlap',
        amount: (of('known')?.effect ?? 0) - others,
        count: of('known')?.count ?? 0,
      },
      { name: 'by_hand', amount: -unclaimed.others, count: unclaimed.otherCount },
    ]
    const named = parts.filter(({ amount }) => amount !== 0)
    const difference = closing - ledgerTo
    return { statement: closing, ledger: ledgerTo, difference, parts: named, source }
  })
}

const summedAtOnce = 100

/** Sums the ledger up to the ends of statements, each from the one before: balances begin there. */
export async function sumLedgers({ db, clock }: Pick<ReconContext, 'db' | 'clock'>): Promise<void> {
  // A posting may be committed some time after its date.
  const until = after(clock.now(), -edgeMs)
  for (const { id, toAt, ...party } of await readUnsummed(db, until, summedAtOnce)) {
    const ledger = await longRead(db, async (tx) => {
      await planFreely(tx)
      return postedAt(tx, party, toAt)
    })
    await writeLedger(db, id, ledger)
  }
}

/** What a provider holds for us at a time by the dates of postings. */
async function postedAt(tx: Tx, party: Party, at: Date): Promise<number> {
  const summed = await findSummed(tx, party, at)
  const range = { from: summed?.at ?? null, below: at }
  return (summed?.ledger ?? 0) + (await sumLedger(tx, accountOf(party), range))
}

/** The same by the dates of lines, where they tell it. */
async function ledgerAt(tx: Tx, party: Party, at: Date): Promise<number> {
  const shifted = await sumShifted(tx, party, at)
  const own = await sumOwnShifted(tx, party, accountOf(party), at)
  return (await postedAt(tx, party, at)) + shifted + own
}

/**
 * What a statement begins with: as it says, else as the ones before it end, else as our ledger has
 * it at the beginning of the first of them.
 */
async function openingOf(
  tx: Tx,
  statement: Statement,
  ledgerFrom: number,
): Promise<{ opening: number; source: Balance['source'] }> {
  const { opening, closing, net, fromAt } = statement
  if (opening !== null) return { opening, source: 'file' }
  if (closing !== null) return { opening: closing - net, source: 'file' }
  let begin = fromAt
  let moved = 0
  let isFollowing = false
  for (const one of await readBefore(tx, statement)) {
    if (begin === null || one.toAt === null || one.toAt < after(begin, -2 * edgeMs)) break
    isFollowing = true
    if (one.closing !== null) return { opening: one.closing + moved, source: 'statement_before' }
    moved += one.net
    begin = one.fromAt
    if (one.opening !== null) return { opening: one.opening + moved, source: 'statement_before' }
  }
  if (!isFollowing || begin === null) return { opening: ledgerFrom, source: 'ledger' }
  return { opening: (await ledgerAt(tx, statement, begin)) + moved, source: 'ledger' }
}

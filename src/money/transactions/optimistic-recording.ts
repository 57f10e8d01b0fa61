/*
 * FAST PATH. Decides on the rows that this process wrote last instead of reading them again.
 *
 * Gain: saves one round trip and the reading of 40 columns for each group of reports; the check of
 * versions shares the round trip of the writes. Figure and how to repeat it: docs/decisions/0028.
 * Must never: commit a decision made on a row that has changed. Every cached row is either locked
 * with its version compared (`lockUnchanged`) or written with `version = …` in its condition, and
 * each failure rolls the whole group back. Every statement that changes a column which decisions
 * depend on increments the version; those of `due_at` alone (claims, parking) and of the counters
 * of one-time codes do not, and decisions depend on neither (`decide.test.ts`).
 * Plain version: `recordOutcomes`, which every group falls back to; `optimistic-recording.test.ts`
 * makes another process change rows behind the cache and compares the results.
 * Decision: docs/decisions/0022.
 */

import { clientOf } from '#data/db/batch.ts'
import type { DbParts, Tx } from '#data/db/db.ts'
import { MovedMeanwhile } from '#money/lifecycle/move.ts'
import { type Applied, applyReports, type Effects, keyOf, type Rows } from './apply.ts'
import type { OutcomeReport } from './decide.ts'
import { isRepeatedEvidence } from './evidence-store.ts'
import { lockRows, type RecordedOutcomes, recordOutcomes, trustWaits } from './record-outcomes.ts'
import type { RowCache } from './row-cache.ts'
import { lockUnchanged } from './store.ts'
import type { Transaction } from './transaction.ts'
import { type EndingParts, writeEffects } from './write-effects.ts'

interface RecordingParts extends EndingParts, DbParts {}

/** Commits reports, from cached rows if these are current, else as `recordOutcomes` does. */
export async function recordOptimistically(
  parts: RecordingParts,
  reports: OutcomeReport[],
  cache: RowCache,
): Promise<Applied[]> {
  const { applied, afterCommit } = await recordFastOrPlain(parts, reports, cache)
  afterCommit()
  for (const { transaction } of applied) cache.keep(transaction)
  return applied
}

async function recordFastOrPlain(
  parts: RecordingParts,
  reports: OutcomeReport[],
  cache: RowCache,
): Promise<RecordedOutcomes> {
  const { db } = parts
  try {
    return await db.groupTransaction(reports.map(clientOf), (tx) =>
      recordFromCache(tx, reports, parts, cache),
    )
  } catch (problem) {
    for (const { clientId, transactionId: id } of reports) cache.forget({ clientId, id })
    // A row had changed, or the same callback was recorded before.
    const isOutdated = problem instanceof MovedMeanwhile || isRepeatedEvidence(problem)
    if (!isOutdated) throw problem
    return db.groupTransaction(reports.map(clientOf), (tx) => recordOutcomes(tx, reports, parts))
  }
}

async function recordFromCache(
  tx: Tx,
  reports: OutcomeReport[],
  parts: RecordingParts,
  cache: RowCache,
): Promise<RecordedOutcomes> {
  const rows: Rows = new Map()
  for (const { clientId, transactionId: id } of reports) {
    const cached = rows.has(keyOf(clientId, id)) ? undefined : cache.get({ clientId, id })
    if (cached !== undefined) rows.set(keyOf(clientId, id), cached)
  }
  const cached = [...rows.values()]
  const payments = await lockRows(tx, reports, rows)
  const { clock } = parts
  const now = clock.now()
  trustWaits(rows, clock, now)
  const { applied, effects } = applyReports(rows, reports, now, payments)
  const versionsChecked = checkVersions(tx, cached, effects)
  const afterCommit = await writeEffects(tx, effects, now, parts, {
    versionsChecked,
    onRepeatedEvidence: 'fail',
  })
  return { applied, afterCommit }
}

/**
 * Compares the versions of cached rows with the table's. Statements that depend on the answer are
 * sent before it arrives; the commit is not. A group that moves money or ends a payment locks all
 * of its rows, ahead of accounts, links and event positions; otherwise a row that is written
 * compares its version by itself.
 */
function checkVersions(
  tx: Tx,
  cached: Transaction[],
  { postings, ended, changed }: Effects,
): Promise<void> {
  const isWritten = ({ clientId, id }: Transaction) => changed.has(keyOf(clientId, id))
  const locksNothingElse = postings.length === 0 && ended.length === 0
  const toCheck = locksNothingElse ? cached.filter((row) => !isWritten(row)) : cached
  if (toCheck.length === 0) return Promise.resolve()
  const checked = lockUnchanged(tx, toCheck)
  // `writeEffects` awaits it; without this a failure before then would be an unhandled rejection.
  checked.catch(() => {})
  return checked
}

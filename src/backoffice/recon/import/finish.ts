import { after } from '#base/kit/clock.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { postOwn } from '#money/ledger/own.ts'
import { suspendOwn } from '#money/ledger/postings.ts'
import { edgeMs } from '../cases/judge.ts'
import { writeMissing } from '../cases/write-verdicts.ts'
import type { ReconContext } from '../context.ts'
import { compareAll } from './compare.ts'
import { readCoverage, readWholeUntil } from './coverage-store.ts'
import { proveAll } from './evidence.ts'
import { readDistances } from './line-store.ts'
import { findBooked, findUnconfirmed } from './match-store.ts'
import { permitOwn, postOwnMoney, serviceOf } from './own-money.ts'
import { accountOf, countsOf, type Statement } from './statement.ts'
import {
  findStatement,
  findUnfinished,
  lockStatement,
  readOwnMoney,
  removeUnread,
  sumSuspended,
  writeDone,
  writeShare,
} from './statement-store.ts'
import type { ImportContext } from './turn.ts'
import { takeBack } from './withdraw.ts'

/** Goes on with whatever a statement was left in, in a turn of its provider. */
export async function finish(context: ImportContext, id: string): Promise<void> {
  const statement = await findStatement(context.db, id)
  if (statement?.state === 'reading') await removeUnread(context.db, id)
  if (statement?.state === 'matching') await finishImport(context, statement)
  if (statement?.state !== 'withdrawing') return
  await takeBack(context, statement)
  await context.write((tx) => close(tx, context, statement, true))
  for (const one of await findUnfinished(context.db, statement)) await finish(context, one.id)
}

/**
 * Compares a statement whose lines are stored, records what they prove, finds what is missing, and
 * books fees and transfers. Every step can be repeated: what was done before is not done again.
 */
export async function finishImport(
  context: ImportContext,
  statement: Statement,
  onProgress: (share: number) => void = () => {},
): Promise<void> {
  const { db, write } = context
  const share = async (done: number) => {
    onProgress(done)
    await writeShare(db, statement.id, done)
  }
  let lines = 0
  await compareAll(context, statement, (compared) => {
    lines += compared
    return share(400 + Math.floor((400 * lines) / Math.max(lines, statement.lines)))
  })
  await proveAll(context, statement)
  await share(850)
  await findMissing(context, statement)
  await share(950)
  const isPermitted = await permitOwn(context, statement)
  await write((tx) => close(tx, context, statement, isPermitted))
  onProgress(1000)
}

// Postings of all providers.
const bookedAtOnce = 5000

// Of a statement without a line of a success of ours.
const unknownDistances = { outsideMs: edgeMs, beforeMs: 20 * 86_400_000 }

/**
 * Opens cases for successes of the statement's time that no line tells of. Near its ends the line
 * of a success may be in the file before or after: these are looked at when that file is there. How
 * near is what the lines that were found show.
 */
async function findMissing(context: ImportContext, statement: Statement): Promise<void> {
  const { db, clock, write } = context
  const { fromAt, toAt } = statement
  if (fromAt === null || toAt === null) return
  const {
    from: coveredFrom,
    followedTo,
    unseenFrom,
  } = await readCoverage(db, statement, 2 * edgeMs)
  const { outsideMs, beforeMs } = (await readDistances(db, statement, edgeMs)) ?? unknownDistances
  // The file that follows has waited for this one with what is near its beginning.
  const until = followedTo ?? (await readWholeUntil(db, statement))
  const seen = after(until, -outsideMs).getTime()
  const below = new Date(Math.min(seen, after(toAt, edgeMs).getTime()))
  // The line of what began or was booked soon after the first one may be in a file not here.
  const createdFrom = after(coveredFrom, outsideMs)
  const since = { createdFrom, bookedFrom: after(createdFrom, beforeMs) }
  // With what the file before could not have whole.
  const begin = unseenFrom !== null && unseenFrom < fromAt ? unseenFrom : fromAt
  let from = coveredFrom >= fromAt ? createdFrom : after(begin, -edgeMs)
  for (;;) {
    const range = await findBooked(db, { from, below }, bookedAtOnce)
    if (range === undefined) return
    const found = await findUnconfirmed(db, accountOf(statement), range, since)
    if (found.length > 0) await write((tx) => writeMissing(tx, statement, found, clock.now()))
    from = range.below
  }
}

/**
 * Books what the lines show of the gateway's own money, less what the statement has booked before
 * and what waits for a second person, and ends its import or its withdrawal: once.
 */
async function close(
  tx: Tx,
  { clock }: ReconContext,
  { id, state }: Statement,
  isPermitted: boolean,
): Promise<void> {
  const statement = await lockStatement(tx, id)
  if (statement === undefined || statement.state !== state) return
  const at = clock.now()
  const { fees, transfers } = await readOwnMoney(tx, id, { isOfPayments: !isPermitted })
  const isFirst = statement.readAt === null
  const ref = isFirst ? id : `${id}/${statement.version}`
  await postOwnMoney(tx, statement, ref, { fees, transfers, at })
  if (state === 'withdrawing') {
    const [left, service] = [await sumSuspended(tx, statement), serviceOf(statement)]
    for (const { name, amount } of left)
      await postOwn(tx, suspendOwn(`${name}/${statement.version}`, service, -amount), at)
  }
  await writeDone(tx, statement, { at, fees, transfers })
  if (!isFirst || state !== 'matching') return
  const done = await findStatement(tx, id)
  const { provider, country, name, fileHash, importedBy: actor } = statement
  const counts = done === undefined ? {} : countsOf(done)
  const details = { id, provider, country, name, fileHash, ...counts, fees, transfers }
  await recordAudit(tx, { at, actor, action: 'statement.import', details })
}

/*
 * Compares a restored database with the live one. Both can prove themselves; only side by side do
 * they show that what was restored is the same history, and that nothing of it is missing.
 */

import { after } from '#base/kit/clock.ts'
import type { Db } from '#data/db/db.ts'
import { type AnchoredHead, findAuditHead } from '#money/ledger/anchor-store.ts'
import { compareAnchors } from '#operations/verify/anchors.ts'
import { readHashes } from '#operations/verify/anchors-store.ts'
import { countTransactions, findAnchorBy, readHeads } from './restored-store.ts'

/** What is committed may be dated this much before: a statement may wait for a minute. */
export const lateCommitMs = 75_000
// Within this time the log comes into the archive, or health and alerts tell of it.
const handedOverMs = 1_800_000
const hourMs = 3_600_000
const headsAtOnce = 1000

export interface Comparison {
  heads: number
  /** The anchor that both have, the last one before the end of what was restored. */
  anchor: number | null
  /** Sentences of what differs. */
  problems: string[]
}

interface Ends {
  /** The end of what was restored. */
  until: Date
  /** When the drill of the newest state began; undefined: it was of a moment. */
  newestAt: Date | undefined
}

/** Compares all that was committed by the end of what was restored; tells of what came later. */
export async function compareWithLive(
  restored: Db,
  live: Db,
  { until, newestAt }: Ends,
): Promise<Comparison> {
  const settled = after(until, -lateCommitMs)
  const heads = await headsOf(restored)
  const problems = await differentHeads(heads, live)
  const anchor = await findAnchorBy(live, settled)
  if (anchor !== undefined)
    for (const { where, what } of await compareAnchors(restored, [anchor]))
      problems.push(`The live database's ${where} ${what} in the restored one.`)
  problems.push(...(await differentCounts(restored, live, settled)))
  if (newestAt !== undefined) problems.push(...(await laterThan(live, until, newestAt)))
  return { heads: heads.length, anchor: anchor?.number ?? null, problems }
}

async function headsOf(restored: Db): Promise<AnchoredHead[]> {
  const accounts = await readHeads(restored)
  const audit = await restored.transaction(findAuditHead)
  const heads = accounts.map(
    ({ clientId, kind, version, head }): AnchoredHead => [clientId, kind, version, head],
  )
  return audit === undefined ? heads : [...heads, audit]
}

/** A head holds by its hash everything before it. */
async function differentHeads(heads: AnchoredHead[], live: Db): Promise<string[]> {
  const problems: string[] = []
  for (let at = 0; at < heads.length; at += headsAtOnce) {
    const page = heads.slice(at, at + headsAtOnce)
    const hashes = await live.transaction((tx) => readHashes(tx, page))
    for (const [clientId, account, version, head] of page) {
      const hash = hashes.get(`${clientId} ${account} ${version}`)
      if (hash === head) continue
      const what = hash === undefined ? 'is not in the live database' : 'is another there'
      problems.push(`Version ${version} of the account ${account} of client ${clientId} ${what}.`)
    }
  }
  return problems
}

/** Whether the archive ends long before the drill, and the live database goes on. */
async function laterThan(live: Db, until: Date, newestAt: Date): Promise<string[]> {
  const to = after(newestAt, -handedOverMs)
  if (to <= until) return []
  const counts = [...(await countTransactions(live, { from: until, to })).values()]
  const count = counts.reduce((sum, one) => sum + one, 0)
  if (count === 0) return []
  return [
    `The archive ends at ${until.toISOString()}: it lacks ${count} transactions that are older ` +
      'than half an hour.',
  ]
}

/** Transactions are not in the ledger's chains: those of the last hour are counted. */
async function differentCounts(restored: Db, live: Db, to: Date): Promise<string[]> {
  const time = { from: after(to, -hourMs), to }
  const [own, there] = await Promise.all([
    countTransactions(restored, time),
    countTransactions(live, time),
  ])
  const clients = [...new Set([...own.keys(), ...there.keys()])]
  return clients
    .filter((id) => own.get(id) !== there.get(id))
    .map(
      (id) =>
        `Client ${id} has ${own.get(id) ?? 0} transactions in the hour before ` +
        `${to.toISOString()}, and ${there.get(id) ?? 0} in the live database.`,
    )
}

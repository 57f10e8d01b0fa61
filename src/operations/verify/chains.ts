import { genesis, linkOf } from '#money/ledger/chain.ts'
import type { Break, ReportBreak } from './break.ts'
import type { StoredEntry } from './ledger-store.ts'

/** An account's chain up to some entry. */
export interface ChainEnd {
  /** Null when that entry's hash is wrong: the balance of the next one is then not compared. */
  balance: number | null
  version: number
  hash: string
}

/**
 * Checks that the versions of each account run 1, 2, 3…, that each entry starts with the balance
 * that the last one ended with, and that the hashes are linked. Entries come in the order of
 * accounts and versions. Returns the ends of the chains, by client and account.
 */
export async function verifyChains(
  pages: AsyncIterable<StoredEntry[]>,
  report: ReportBreak,
  countRead: (entries: number) => void,
): Promise<Map<string, ChainEnd>> {
  const ends = new Map<string, ChainEnd>()
  for await (const entries of pages) {
    for (const entry of entries) {
      const key = `${entry.clientId} ${entry.account}`
      const last = ends.get(key) ?? { balance: 0, version: 0, hash: genesis }
      ends.set(key, verifyEntry(entry, last, report))
    }
    countRead(entries.length)
  }
  return ends
}

function verifyEntry(entry: StoredEntry, last: ChainEnd, report: ReportBreak): ChainEnd {
  const { version, before, amount, after, digest, hash } = entry
  if (version !== last.version + 1)
    reportEntry(entry, 'continuous', `follows version ${last.version}`, report)
  if (before !== (last.balance ?? before) || after !== before + amount || after < 0)
    reportEntry(
      entry,
      'continuous',
      `goes from ${before} by ${amount} to ${after} after a balance of ${last.balance}`,
      report,
    )
  if (linkOf(last.hash, digest, entry) === hash) return { balance: after, version, hash }
  reportEntry(entry, 'untouched', 'its hash does not follow the chain', report)
  // Continues from the stored hash: one change is reported once, not for all entries that follow.
  return { balance: null, version, hash }
}

function reportEntry(
  { clientId, account, version, postingId }: StoredEntry,
  promise: Break['promise'],
  what: string,
  report: ReportBreak,
): void {
  report({ promise, clientId, where: `${account} version ${version} (posting ${postingId})`, what })
}

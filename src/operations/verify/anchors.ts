import type { Db, Tx } from '#data/db/db.ts'
import { type Anchor, auditAccount } from '#money/ledger/anchor-store.ts'
import { anchorOf, genesis } from '#money/ledger/chain.ts'
import { findAnchorHashes, readAnchors, readHashes } from './anchors-store.ts'
import type { Break } from './break.ts'

const pageLength = 100

/** Checks the chain of anchors and the entries that they name; returns the number of anchors. */
export async function verifyAnchors(
  tx: Tx,
  report: (where: string, what: string) => void,
): Promise<number> {
  let previous = genesis
  let number = 0
  for (;;) {
    const anchors = await readAnchors(tx, number, pageLength)
    if (anchors.length === 0) return number
    for (const anchor of anchors) {
      if (anchor.number !== number + 1) report(`anchor ${anchor.number}`, `follows ${number}`)
      const link = anchorOf(previous, anchor.number, anchor.createdAt, anchor.heads)
      if (link !== anchor.hash) report(`anchor ${anchor.number}`, 'its hash does not follow')
      await verifyHeads(tx, anchor, report)
      ;({ number, hash: previous } = anchor)
    }
  }
}

async function verifyHeads(
  tx: Tx,
  anchor: Anchor,
  report: (where: string, what: string) => void,
): Promise<void> {
  const hashes = await readHashes(tx, anchor.heads)
  for (const [clientId, account, version, head] of anchor.heads)
    if (hashes.get(`${clientId} ${account} ${version}`) !== head)
      report(
        `anchor ${anchor.number}`,
        account === auditAccount
          ? `record ${version} of the audit log is not what it was`
          : `client ${clientId} ${account} version ${version} is not what it was`,
      )
}

/** Anchors kept elsewhere that are missing in the database, or have another hash there. */
export async function compareAnchors(
  db: Db,
  kept: { number: number; hash: string }[],
): Promise<Break[]> {
  const stored = await findAnchorHashes(
    db,
    kept.map((anchor) => anchor.number),
  )
  return kept
    .filter(({ number, hash }) => stored.get(number) !== hash)
    .map(({ number }) => ({
      promise: 'anchor',
      clientId: null,
      where: `anchor ${number}`,
      what: stored.has(number) ? 'differs from the one kept elsewhere' : 'is missing',
    }))
}

import type { Db, Tx } from '../db/db.ts'
import type { Anchor } from '../ledger/anchor-store.ts'
import { anchorOf, genesis } from '../ledger/chain.ts'
import { findAnchorHashes, readAnchors, readHashes } from './anchors-store.ts'
import type { Break } from './break.ts'

/** Checks the public chain and that the entries it names are unchanged; returns how many links. */
export async function verifyAnchors(
  tx: Tx,
  found: (where: string, what: string) => void,
): Promise<number> {
  let previous = genesis
  let number = 0
  for (;;) {
    const anchors = await readAnchors(tx, number, 100)
    if (anchors.length === 0) return number
    for (const anchor of anchors) {
      if (anchor.number !== number + 1) found(`anchor ${anchor.number}`, `follows ${number}`)
      const link = anchorOf(previous, anchor.number, anchor.createdAt, anchor.heads)
      if (link !== anchor.hash) found(`anchor ${anchor.number}`, 'its hash does not follow')
      await verifyHeads(tx, anchor, found)
      ;({ number, hash: previous } = anchor)
    }
  }
}

async function verifyHeads(
  tx: Tx,
  anchor: Anchor,
  found: (where: string, what: string) => void,
): Promise<void> {
  const hashes = await readHashes(tx, anchor.heads)
  for (const [clientId, account, version, head] of anchor.heads)
    if (hashes.get(`${clientId} ${account} ${version}`) !== head)
      found(
        `anchor ${anchor.number}`,
        `client ${clientId} ${account} version ${version} is not what it was`,
      )
}

/** Anchors kept elsewhere that the database no longer has, or has otherwise. */
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

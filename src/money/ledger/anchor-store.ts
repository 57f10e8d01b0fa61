import { readAuditHead } from '#data/db/audit-chain.ts'
import { json, type Tx } from '#data/db/db.ts'

/**
 * Client, account, version and hash of an account's last entry. The head of the audit log is the
 * account `audit` of client 0, which no client has.
 */
export type AnchoredHead = [number, string, number, string]

export const auditAccount = 'audit'

export interface Anchor {
  number: number
  heads: AnchoredHead[]
  hash: string
  createdAt: Date
}

// Any fixed number. Under this advisory lock one process makes an anchor at a time.
const anchorLock = 7_270_002

/** The last anchor, if any. No other process makes one until this transaction ends. */
export async function lockLastAnchor(tx: Tx): Promise<Anchor | undefined> {
  await tx`select pg_advisory_xact_lock(${anchorLock})`
  const [anchor] = await tx<Anchor>`
    select number, heads, encode(hash, 'hex') as hash, created_at as "createdAt"
    from ledger_anchors order by number desc limit 1`
  return anchor
}

/** Marks accounts that moved since their last anchor as anchored, and returns their heads. */
export async function markHeadsAnchored(tx: Tx): Promise<AnchoredHead[]> {
  const moved = await tx<{ clientId: number; kind: string; version: number; head: string }>`
    with moved as (
      select client_id, kind from ledger_accounts
      where version > anchored_version
      order by client_id, kind
      for update
    )
    update ledger_accounts a set anchored_version = version
    from moved where (a.client_id, a.kind) = (moved.client_id, moved.kind)
    returning a.client_id as "clientId", a.kind, a.version, encode(a.head, 'hex') as head`
  return moved
    .map(({ clientId, kind, version, head }): AnchoredHead => [clientId, kind, version, head])
    .sort(([a, kindA], [b, kindB]) => a - b || kindA.localeCompare(kindB))
}

/** The head of the audit log; undefined: nothing is in its chain. */
export async function findAuditHead(tx: Tx): Promise<AnchoredHead | undefined> {
  const { number, hash } = await readAuditHead(tx)
  return number === 0 ? undefined : [0, auditAccount, number, hash]
}

export async function insertAnchor(tx: Tx, anchor: Anchor): Promise<void> {
  await tx`
    insert into ledger_anchors (number, heads, hash, created_at)
    values (${anchor.number}, ${json(anchor.heads)}, decode(${anchor.hash}, 'hex'),
      ${anchor.createdAt})`
}

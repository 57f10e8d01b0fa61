import type { Db, Tx } from '../kit/db.ts'
import { json } from '../kit/db.ts'
import { rowsOf } from '../kit/rows.ts'

/** Client, account, version and hash of an account's last entry. */
export type AnchoredHead = [number, string, number, string]

export interface Anchor {
  number: number
  heads: AnchoredHead[]
  hash: string
  createdAt: Date
}

// Any fixed number: two processes that make anchors at the same moment take turns.
const anchorLock = 7_270_002

export async function lastAnchor(tx: Tx): Promise<Anchor | undefined> {
  await tx`select pg_advisory_xact_lock(${anchorLock})`
  const [anchor] = await tx<Anchor>`
    select number, heads, encode(hash, 'hex') as hash, created_at as "createdAt"
    from ledger_anchors order by number desc limit 1`
  return anchor
}

/** The heads of accounts that moved since they were last taken. */
export async function takeMovedHeads(tx: Tx): Promise<AnchoredHead[]> {
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

export async function insertAnchor(tx: Tx, anchor: Anchor): Promise<void> {
  await tx`
    insert into ledger_anchors (number, heads, hash, created_at)
    values (${anchor.number}, ${json(anchor.heads)}, decode(${anchor.hash}, 'hex'),
      ${anchor.createdAt})`
}

export function readAnchors(tx: Tx, afterNumber: number, limit: number): Promise<Anchor[]> {
  return tx<Anchor>`
    select number, heads, encode(hash, 'hex') as hash, created_at as "createdAt"
    from ledger_anchors where number > ${afterNumber} order by number limit ${limit}`
}

const headRows = rowsOf({ client_id: 'integer', account: 'text', version: 'bigint' })

/** The stored hashes of the entries that anchored heads name. */
export async function readHashes(tx: Tx, heads: AnchoredHead[]): Promise<Map<string, string>> {
  const wanted = heads.map(([client_id, account, version]) => ({ client_id, account, version }))
  const rows = await tx<{ key: string; hash: string }>`
    select concat_ws(' ', e.client_id, e.account, e.version) as key,
      encode(e.hash, 'hex') as hash
    from ${headRows(wanted)} as wanted
    join ledger_entries e using (client_id, account, version)
    where e.version is not null`
  return new Map(rows.map(({ key, hash }) => [key, hash]))
}

export async function findAnchorHashes(db: Db, numbers: number[]): Promise<Map<number, string>> {
  const rows = await db<{ number: number; hash: string }>`
    select number, encode(hash, 'hex') as hash from ledger_anchors
    where number = any(${numbers}::integer[])`
  return new Map(rows.map(({ number, hash }) => [number, hash]))
}

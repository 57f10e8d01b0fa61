import type { Db, Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import { type Anchor, type AnchoredHead, auditAccount } from '#money/ledger/anchor-store.ts'

/** The next anchors after a number, in order. */
export function readAnchors(tx: Tx, afterNumber: number, limit: number): Promise<Anchor[]> {
  return tx<Anchor>`
    select number, heads, encode(hash, 'hex') as hash, created_at as "createdAt"
    from ledger_anchors where number > ${afterNumber} order by number limit ${limit}`
}

const headRows = rowsOf({ client_id: 'integer', account: 'text', version: 'bigint' })

/** The stored hashes of the entries that anchored heads name, by client, account and version. */
export async function readHashes(tx: Tx, heads: AnchoredHead[]): Promise<Map<string, string>> {
  const wanted = heads.map(([client_id, account, version]) => ({ client_id, account, version }))
  const rows = await tx<{ key: string; hash: string }>`
    with wanted as (select * from ${headRows(wanted)} as heads)
    select concat_ws(' ', e.client_id, e.account, e.version) as key,
      encode(e.hash, 'hex') as hash
    from wanted
    join ledger_entries e using (client_id, account, version)
    where e.version is not null
    union all
    select concat_ws(' ', w.client_id, w.account, c.number), encode(c.hash, 'hex')
    from wanted w
    join audit_chain c on c.number = w.version
    where w.account = ${auditAccount}`
  return new Map(rows.map(({ key, hash }) => [key, hash]))
}

/** The hashes of these anchors, by number. */
export async function findAnchorHashes(db: Db, numbers: number[]): Promise<Map<number, string>> {
  const rows = await db<{ number: number; hash: string }>`
    select number, encode(hash, 'hex') as hash from ledger_anchors
    where number = any(${numbers}::integer[])`
  return new Map(rows.map(({ number, hash }) => [number, hash]))
}

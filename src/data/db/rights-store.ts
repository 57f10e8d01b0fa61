import type { Db } from './db.ts'

/** What this role may do to the ledger that nothing may do, such as changing its entries. */
export async function readRights(db: Db): Promise<string[]> {
  const rows = await db<{ right: string }>`
    select lower(privilege) || ' ' || relation as right
    from unnest(array[
      'ledger_entries', 'ledger_postings', 'ledger_anchors', 'audit_log', 'audit_chain']) relation
    cross join unnest(array['UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) privilege
    where has_table_privilege(relation, privilege)
    order by relation, privilege`
  return rows.map(({ right }) => right)
}

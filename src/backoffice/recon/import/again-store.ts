import type { Db, Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import type { Found } from './match-store.ts'
import type { LineKey, Party } from './statement.ts'

/** A difference, with its line. */
export interface CaseLine extends Party, LineKey {
  id: string
}

/**
 * Open differences of lines whose transactions have ended since they were judged, those that are to
 * be judged again, and those of strangers that were not looked at for some time.
 */
export function readUnjudged(
  db: Db,
  { seenBefore, openedFrom }: { seenBefore: Date; openedFrom: Date },
  limit: number,
): Promise<CaseLine[]> {
  return db<CaseLine>`
    select c.id, c.statement_id as "statementId", c.line, c.provider, c.country
    from recon_cases c
    join statements s on s.id = c.statement_id and s.state = 'read'
    left join transactions t on (t.client_id, t.id) = (c.client_id, c.transaction_id)
    where c.state = 'open' and c.line is not null
      and (c.judged_at is null or t.completed_at >= c.judged_at
        or c.kind = 'theirs_only' and c.judged_at < ${seenBefore}
          and c.opened_at >= ${openedFrom})
    order by c.id
    limit ${limit}`
}

export async function markJudged(tx: Tx, ids: string[], at: Date): Promise<void> {
  await tx`update recon_cases set judged_at = ${at} where id = any(${ids}::uuid[])`
}

const ownedRows = rowsOf({
  statementId: 'uuid',
  line: 'integer',
  clientId: 'integer',
  transactionId: 'uuid',
  attemptId: 'uuid',
})

/** Writes whose transactions lines are about that were strangers'. */
export async function ownLines(tx: Tx, lines: (LineKey & Found)[]): Promise<void> {
  await tx`
    update statement_lines l
    set client_id = w."clientId", transaction_id = w."transactionId", attempt_id = w."attemptId"
    from ${ownedRows(lines)} as w
    where (l.statement_id, l.line) = (w."statementId", w.line)`
}

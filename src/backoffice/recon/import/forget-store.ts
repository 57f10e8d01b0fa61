import type { Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import type { Case } from '../cases/case.ts'

/** A line as far as its number goes. */
export interface NumberedLine {
  statementId: string
  line: number
  identity: string
  phone: string | null
  /** Whether its statement is being imported, or a difference of it is not closed. */
  isNeeded: boolean
}

/** The next lines of statements that were imported before a time, in the order of their ids. */
export function readNextLines(
  tx: Tx,
  after: { statementId: string; line: number },
  { below, limit }: { below: string; limit: number },
): Promise<Pick<NumberedLine, 'statementId' | 'line'>[]> {
  return tx`
    select statement_id as "statementId", line from statement_lines
    where (statement_id, line) > (${after.statementId}::uuid, ${after.line}::integer)
      and statement_id < ${below}
    order by statement_id, line
    limit ${limit}`
}

const lineRows = rowsOf({ statementId: 'uuid', line: 'integer' })

/** Locks lines, in the order of their keys. */
export function lockLines(
  tx: Tx,
  lines: Pick<NumberedLine, 'statementId' | 'line'>[],
): Promise<NumberedLine[]> {
  return tx<NumberedLine>`
    select l.statement_id as "statementId", l.line, l.identity, l.phone,
      s.state <> 'read' or exists (
        select from recon_cases c
        where c.statement_id = l.statement_id and c.line = l.line and c.state <> 'closed'
      ) as "isNeeded"
    from ${lineRows(lines)} as w
    join statement_lines l on (l.statement_id, l.line) = (w."statementId", w.line)
    join statements s on s.id = l.statement_id
    order by l.statement_id, l.line
    for update of l`
}

const changedLines = rowsOf({
  statementId: 'uuid',
  line: 'integer',
  identity: 'text',
  phone: 'text',
})

/** Writes other texts in place of the numbers of locked lines. */
export async function replaceLineNumbers(
  tx: Tx,
  lines: Pick<NumberedLine, 'statementId' | 'line' | 'identity' | 'phone'>[],
): Promise<void> {
  await tx`
    update statement_lines l set phone = n.phone, identity = n.identity
    from ${changedLines(lines)} as n
    where (l.statement_id, l.line) = (n."statementId", n.line)`
}

/** The ids of differences after one and before another, in the order of time. */
export async function readNextCases(
  tx: Tx,
  range: { after: string; below: string; limit: number },
): Promise<string[]> {
  const rows = await tx<{ id: string }>`
    select id from recon_cases where id > ${range.after} and id < ${range.below}
    order by id
    limit ${range.limit}`
  return rows.map(({ id }) => id)
}

/** Locks differences, in the order of their ids. */
export function lockCases(
  tx: Tx,
  ids: string[],
): Promise<Pick<Case, 'id' | 'state' | 'details'>[]> {
  return tx`
    select id, state, details from recon_cases where id = any(${ids}::uuid[])
    order by id for update`
}

const changedCases = rowsOf({ id: 'uuid', details: 'jsonb' })

export async function replaceDetails(tx: Tx, cases: Pick<Case, 'id' | 'details'>[]): Promise<void> {
  await tx`
    update recon_cases c set details = n.details, version = c.version + 1
    from ${changedCases(cases)} as n
    where c.id = n.id`
}

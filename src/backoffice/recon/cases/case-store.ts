import { newId } from '#base/kit/ids.ts'
import type { Db, Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import { Fragment } from '#data/db/statement.ts'
import type { LineKey, Party } from '../import/statement.ts'
import type { Age, Case, CaseFilter, Note } from './case.ts'

export const caseColumns = new Fragment(`
  c.id, c.provider, c.country, c.statement_id as "statementId", s.name as "statementName", c.line,
  c.kind, c.state, c.client_id as "clientId", c.transaction_id as "transactionId", c.amount,
  c.details, c.difference, c.decided, c.person,
  c.approval_id as "approvalId", c.opened_at as "openedAt",
  c.closed_at as "closedAt", c.closed_by as "closedBy", c.closing, c.reason, c.version`)

const caseRows = rowsOf({
  id: 'uuid',
  statementId: 'uuid',
  line: 'integer',
  kind: 'text',
  clientId: 'integer',
  transactionId: 'uuid',
  amount: 'bigint',
  difference: 'bigint',
  details: 'jsonb',
})

/** A difference as it is now; without an id it is new. */
export interface FoundCase {
  id: string | null
  statementId: string
  line: number | null
  kind: Case['kind']
  clientId: number | null
  transactionId: string | null
  amount: number
  difference: number | null
  details: Case['details']
}

/** Opens new cases, and corrects others, which stay in their state. */
export async function writeCases(
  tx: Tx,
  { provider, country }: Party,
  found: FoundCase[],
  now: Date,
): Promise<void> {
  if (found.length === 0) return
  const rows = found.map((one) => ({ ...one, id: one.id ?? newId(now) }))
  await tx`
    insert into recon_cases as c (id, provider, country, statement_id, line, kind, client_id,
      transaction_id, amount, difference, details, opened_at, judged_at)
    select id, ${provider}, ${country}, "statementId", line, kind, "clientId", "transactionId",
      amount, difference, details, ${now}, ${now}
    from ${caseRows(rows)} as n
    on conflict (id) do update
    set statement_id = excluded.statement_id, line = excluded.line, kind = excluded.kind,
      client_id = excluded.client_id, transaction_id = excluded.transaction_id,
      amount = excluded.amount, difference = excluded.difference,
      details = excluded.details, judged_at = excluded.judged_at,
      version = c.version + 1
    where (c.statement_id, c.line, c.kind, c.client_id, c.transaction_id, c.amount, c.difference,
        c.details)
      is distinct from (excluded.statement_id, excluded.line, excluded.kind, excluded.client_id,
        excluded.transaction_id, excluded.amount, excluded.difference, excluded.details)`
}

const lineRows = rowsOf({ statementId: 'uuid', line: 'integer' })

/** Locks the cases of lines, closed ones too. */
export async function lockOfLines(tx: Tx, lines: LineKey[]): Promise<Case[]> {
  if (lines.length === 0) return []
  return tx<Case>`
    select ${caseColumns}
    from ${lineRows(lines)} as w
    join recon_cases c on (c.statement_id, c.line) = (w."statementId", w.line)
    join statements s on s.id = c.statement_id
    order by c.id
    for update of c`
}

const ownerRows = rowsOf({ clientId: 'integer', id: 'uuid' })

/** Locks the cases of successes that were missing, closed ones too. */
export async function lockMissing(
  tx: Tx,
  owners: { clientId: number; id: string }[],
): Promise<Case[]> {
  if (owners.length === 0) return []
  return tx<Case>`
    select ${caseColumns}
    from ${ownerRows(owners)} as w
    join recon_cases c on c.client_id = w."clientId" and c.transaction_id = w.id
      and c.kind = 'ours_only'
    join statements s on s.id = c.statement_id
    order by c.id
    for update of c`
}

/** What people have moved to merchants for differences; below zero: from them. */
export async function sumMoved(tx: Tx, ids: string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await tx<{ id: string; moved: number }>`
    select w.id, sum(e.amount)::bigint as moved
    from unnest(${ids}::uuid[]) as w (id)
    cross join clients k
    join ledger_postings p on p.client_id = k.id and p.kind = 'adjust'
      and p.ref >= concat('difference ', w.id) and p.ref < concat('difference ', w.id, '0')
    join ledger_entries e on e.client_id = p.client_id and e.posting_id = p.id
      and e.account = 'available'
    group by w.id`
  return new Map(rows.map(({ id, moved }) => [id, moved]))
}

export async function findCase(run: Db | Tx, id: string): Promise<Case | undefined> {
  const [found] = await run<Case>`
    select ${caseColumns} from recon_cases c join statements s on s.id = c.statement_id
    where c.id = ${id}`
  return found
}

export async function lockCase(tx: Tx, id: string): Promise<Case | undefined> {
  const [found] = await tx<Case>`
    select ${caseColumns} from recon_cases c join statements s on s.id = c.statement_id
    where c.id = ${id} for update of c`
  return found
}

/** How many cases of each provider are not closed, by kind. */
export function countUnclosed(db: Db): Promise<(Party & { kind: Case['kind']; count: number })[]> {
  return db`
    select provider, country, kind, count(*) as count from recon_cases
    where state <> 'closed' group by provider, country, kind order by provider, country, kind`
}

/** The cases of some lines of a statement. */
export function findCasesOf(db: Db, statementId: string, lines: number[]): Promise<Case[]> {
  return db<Case>`
    select ${caseColumns} from recon_cases c join statements s on s.id = c.statement_id
    where c.statement_id = ${statementId} and c.line = any(${lines}::integer[])
    order by c.line, c.id`
}

/** The cases about a transaction. */
export function findCasesAbout(
  db: Db,
  { clientId, id }: { clientId: number; id: string },
): Promise<Case[]> {
  return db<Case>`
    select ${caseColumns} from recon_cases c join statements s on s.id = c.statement_id
    where (c.client_id, c.transaction_id) = (${clientId}, ${id})
    order by c.id`
}

const movedRows = rowsOf({
  id: 'uuid',
  state: 'text',
  amount: 'bigint',
  decided: 'bigint',
  approvalId: 'uuid',
  closedAt: 'timestamptz',
  closedBy: 'text',
  closing: 'text',
  reason: 'text',
})

/** Writes what a move changes of cases. */
export async function updateCases(tx: Tx, cases: Case[]): Promise<void> {
  await tx`
    update recon_cases c set amount = n.amount, decided = n.decided, state = n.state,
      judged_at = case when n.state = 'open' then null else c.judged_at end,
      approval_id = n."approvalId", closed_at = n."closedAt", closed_by = n."closedBy",
      closing = n.closing, reason = n.reason, version = c.version + 1
    from ${movedRows(cases)} as n
    where c.id = n.id`
}

export async function updatePerson(tx: Tx, id: string, person: string | null): Promise<void> {
  await tx`update recon_cases set person = ${person}, version = version + 1 where id = ${id}`
}

/** Locks the cases that wait for a proposal. */
export function lockWaiting(tx: Tx, approvalId: string): Promise<Case[]> {
  return tx<Case>`
    select ${caseColumns} from recon_cases c join statements s on s.id = c.statement_id
    where c.approval_id = ${approvalId} and c.state = 'waiting'
    order by c.id
    for update of c`
}

export async function insertNote(tx: Tx, caseId: string, note: Note): Promise<void> {
  await tx`
    insert into recon_notes (case_id, id, at, person, text)
    values (${caseId}, ${note.id}, ${note.at}, ${note.person}, ${note.text})`
}

export function readNotes(db: Db, caseId: string): Promise<Note[]> {
  return db<Note>`
    select id, at, person, text from recon_notes where case_id = ${caseId} order by id`
}

/** How many cases are not closed, by their age and kind. */
export function readAges(
  db: Db,
  now: Date,
  { provider, country }: Pick<CaseFilter, 'provider' | 'country'>,
): Promise<Age[]> {
  return db<Age>`
    select age, kind, count(*) as count, sum(abs(amount))::bigint as amount
    from (
      select kind, amount, case
        when ${now} - opened_at <= interval '1 day' then 'day'
        when ${now} - opened_at <= interval '3 days' then 'three_days'
        when ${now} - opened_at <= interval '7 days' then 'week'
        when ${now} - opened_at <= interval '30 days' then 'month'
        else 'older' end as age
      from recon_cases
      where state <> 'closed' and (${provider ?? null}::text is null or provider = ${provider})
        and (${country ?? null}::text is null or country = ${country})
    ) c
    group by age, kind
    order by array_position(array['day', 'three_days', 'week', 'month', 'older'], age), kind`
}

import { newId } from '#base/kit/ids.ts'
import { type Db, fragment, type Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import { Fragment } from '#data/db/statement.ts'
import type { Unconfirmed } from '../import/match-store.ts'
import type { Party, Statement } from '../import/statement.ts'
import type { Age, Case, CaseFilter, Note } from './case.ts'

export const caseColumns = new Fragment(`
  c.id, c.provider, c.country, c.statement_id as "statementId", s.name as "statementName", c.line,
  c.kind, c.state, c.client_id as "clientId", c.transaction_id as "transactionId", c.amount,
  c.details, c.person, c.approval_id as "approvalId", c.opened_at as "openedAt",
  c.closed_at as "closedAt", c.closed_by as "closedBy", c.closing, c.reason, c.version`)

const newCases = rowsOf({
  id: 'uuid',
  statementId: 'uuid',
  line: 'integer',
  kind: 'text',
  clientId: 'integer',
  transactionId: 'uuid',
  amount: 'bigint',
  details: 'jsonb',
})

/** A difference that was found. */
export interface NewCase {
  statementId: string
  line: number | null
  kind: Case['kind']
  clientId: number | null
  transactionId: string | null
  amount: number
  details: object
}

// What statements have closed, statements open again; what a person has closed stays closed.
const reopened = fragment`state = 'open', closed_at = null, closed_by = null, closing = null,
  reason = null, version = c.version + 1`

/** Opens cases, and corrects those that are open. */
export async function writeCases(
  tx: Tx,
  { provider, country }: Party,
  found: NewCase[],
  now: Date,
): Promise<void> {
  if (found.length === 0) return
  const rows = found.map((one) => ({ ...one, id: newId(now) }))
  await tx`
    insert into recon_cases as c (id, provider, country, statement_id, line, kind, client_id,
      transaction_id, amount, details, opened_at)
    select id, ${provider}, ${country}, "statementId", line, kind, "clientId", "transactionId",
      amount, details, ${now}
    from ${newCases(rows)} as n
    on conflict (statement_id, line, kind) where line is not null do update
    set amount = excluded.amount, details = c.details || excluded.details, ${reopened}
    where c.closing = 'explained' or c.state = 'open' and (c.amount, c.details)
      is distinct from (excluded.amount, c.details || excluded.details)`
}

/** Opens cases for successes that no line tells of, one for each. */
export async function insertOursOnly(
  tx: Tx,
  { id: statementId, provider, country }: Statement,
  found: Unconfirmed[],
  now: Date,
): Promise<void> {
  const rows = found.map(({ booked, bookedAt, amount, reference, phone, ...owner }) => {
    const ours = { amount, status: 'SUCCESS', at: bookedAt.toISOString(), reference, phone }
    return { id: newId(now), ...owner, amount: -booked, details: { ours } }
  })
  await tx`
    insert into recon_cases as c (id, provider, country, statement_id, line, kind, client_id,
      transaction_id, amount, details, opened_at)
    select id, ${provider}, ${country}, ${statementId}, null, 'ours_only', "clientId",
      "transactionId", amount, details, ${now}
    from ${newCases(rows)} as n
    on conflict (client_id, transaction_id) where kind = 'ours_only' do update
    set statement_id = excluded.statement_id, amount = excluded.amount,
      details = excluded.details, ${reopened}
    where c.closing in ('explained', 'withdrawn')`
}

const judgedRows = rowsOf({ statementId: 'uuid', line: 'integer', kinds: 'text' })

/** Locks the open cases of lines that have other differences now, or none. */
export async function lockStale(
  tx: Tx,
  judged: { statementId: string; line: number; kinds: string }[],
): Promise<Case[]> {
  if (judged.length === 0) return []
  return tx<Case>`
    select ${caseColumns}
    from ${judgedRows(judged)} as w
    join recon_cases c on (c.statement_id, c.line) = (w."statementId", w.line)
    join statements s on s.id = c.statement_id
    where c.state = 'open' and c.kind <> all(string_to_array(w.kinds, ' '))
    order by c.id
    for update of c`
}

const toldRows = rowsOf({ clientId: 'integer', id: 'uuid' })

/** Locks the open cases of successes that were missing, and of which a line tells. */
export async function lockTold(tx: Tx, told: { clientId: number; id: string }[]): Promise<Case[]> {
  if (told.length === 0) return []
  return tx<Case>`
    select ${caseColumns}
    from ${toldRows(told)} as w
    join recon_cases c on c.client_id = w."clientId" and c.transaction_id = w.id
      and c.kind = 'ours_only'
    join statements s on s.id = c.statement_id
    where c.state = 'open'
    order by c.id
    for update of c`
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

/** What a move changes of a case. */
export type CaseChange = Pick<
  Case,
  'id' | 'state' | 'approvalId' | 'closedAt' | 'closedBy' | 'closing' | 'reason'
>

export async function updateCase(tx: Tx, one: CaseChange): Promise<void> {
  await tx`
    update recon_cases set state = ${one.state}, approval_id = ${one.approvalId},
      closed_at = ${one.closedAt}, closed_by = ${one.closedBy}, closing = ${one.closing},
      reason = ${one.reason}, version = version + 1
    where id = ${one.id}`
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

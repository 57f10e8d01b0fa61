import type { Db, Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import { Fragment } from '#data/db/statement.ts'
import { nineDigitsOf } from '#merchants/catalog/phone-forms.ts'
import type { Case, CaseFilter } from './case.ts'
import { caseColumns } from './case-store.ts'

const filterRow = rowsOf({
  state: 'text',
  isUnclosed: 'boolean',
  kind: 'text',
  statementId: 'uuid',
  provider: 'text',
  country: 'text',
  person: 'text',
  openedFrom: 'timestamptz',
  openedBefore: 'timestamptz',
  text: 'text',
  digits: 'text',
  pseudonym: 'text',
})

/** A filter as a row, whose empty columns ask for nothing. */
function rowOf({ isUnclosed = false, text, pseudonym, ...filter }: CaseFilter) {
  const given = text?.trim() || null
  const digits = given === null ? '' : nineDigitsOf(given.replaceAll(' ', ''))
  const number = /^\d{9}$/.test(digits) ? digits : null
  return filterRow([{ ...filter, isUnclosed, text: given, digits: number, pseudonym }])
}

const passes = new Fragment(`
  (f.state is null or c.state = f.state)
  and (not f."isUnclosed" or c.state <> 'closed')
  and (f.kind is null or c.kind = f.kind)
  and (f."statementId" is null or c.statement_id = f."statementId")
  and (f.provider is null or c.provider = f.provider)
  and (f.country is null or c.country = f.country)
  and (f.person is null or lower(c.person) = lower(f.person))
  and (f."openedFrom" is null or c.opened_at >= f."openedFrom")
  and (f."openedBefore" is null or c.opened_at < f."openedBefore")
  and (f.text is null
    or f.text in (c.details #>> '{theirs,reference}', c.details #>> '{ours,reference}',
      c.transaction_id::text, c.id::text, c.details #>> '{theirs,phone}')
    or f.pseudonym in (c.details #>> '{theirs,phone}', c.details #>> '{ours,phone}')
    or f.digits in (right(c.details #>> '{theirs,phone}', 9), c.details #>> '{ours,phone}'))`)

/** Cases that pass a filter, newest first, before one. */
export function listCases(
  db: Db,
  filter: CaseFilter,
  { below, limit }: { below: string; limit: number },
): Promise<Case[]> {
  return db<Case>`
    select ${caseColumns} from recon_cases c join statements s on s.id = c.statement_id
    join ${rowOf(filter)} as f on ${passes}
    where c.id < ${below}
    order by c.id desc
    limit ${limit}`
}

/** How many open cases pass a filter, and what they add up to. */
export async function sumOpen(
  run: Db | Tx,
  filter: CaseFilter,
): Promise<{ count: number; amount: number }> {
  const [sum] = await run<{ count: number; amount: number }>`
    select count(*) as count, coalesce(sum(c.amount), 0)::bigint as amount
    from recon_cases c join ${rowOf(filter)} as f on ${passes}
    where c.state = 'open'`
  return sum ?? { count: 0, amount: 0 }
}

/** Locks cases that pass a filter and are not closed. */
export function lockUnclosed(tx: Tx, filter: CaseFilter, limit: number): Promise<Case[]> {
  return tx<Case>`
    select ${caseColumns} from recon_cases c join statements s on s.id = c.statement_id
    join ${rowOf(filter)} as f on ${passes}
    where c.state <> 'closed'
    order by c.id
    limit ${limit}
    for update of c`
}

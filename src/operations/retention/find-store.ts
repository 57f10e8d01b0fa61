import { omit } from '#base/kit/objects.ts'
import { type Db, fragment } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import { idRange, placesOf } from '#money/transactions/list.ts'
import type { Trace, Wanted } from './trace.ts'

/** Clients by their numbers, as people know them. */
export async function readClientNames(db: Db): Promise<Map<number, string>> {
  const clients = await db<{ id: number; name: string }>`select id, name from clients`
  return new Map(clients.map(({ id, name }) => [id, `${name} (${id})`]))
}

/** A record that a number took part in: a transaction of its own, or a link. */
interface OwnRecord {
  clientId: number
  recordId: string
}

const recordRows = rowsOf({ clientId: 'integer', recordId: 'uuid' })

/** Transactions by the number, with the place of the event by which they are forgotten. */
async function findTransactions(
  db: Db,
  { country, phone, pseudonym }: Wanted,
): Promise<(Trace & { linkId: string | null })[]> {
  const ids = await readClientNames(db)
  const places = await placesOf(db, [...ids.keys()], idRange(null, null, null))
  return db<Trace & { linkId: string | null }>`
    select 'transactions' as table, t.id, t.client_id as "clientId",
      t.service_code as "serviceCode", t.amount, t.status, t.created_at as at,
      case when t.phone = ${pseudonym} then 'forgotten' when e.id is null then 'open'
        else 'plain' end as state,
      e.position::text as place, t.link_id as "linkId"
    from unnest(
      ${places.map(({ clientId }) => clientId)}::integer[],
      ${places.map(({ period }) => period)}::text[]
    ) as p (client_id, period)
    join transactions t on t.client_id = p.client_id and left(t.id::text, 5) = p.period
      and t.phone in (${phone}, ${pseudonym})
    left join events e on e.client_id = t.client_id and e.record_id = coalesce(t.link_id, t.id)
    where split_part(t.service_code, '_', 2) = ${country}
    order by t.id`
}

// Merchants write their customers' numbers as they like.
const customerDigits = fragment`regexp_replace(l.customer_phone, '^([+]|00)|[^0-9]', '', 'g')`

/** Links for a customer with the number, and those of these ids. */
function findLinks(
  db: Db,
  { written, pseudonym }: Wanted,
  tried: OwnRecord[],
): Promise<(Trace & { isCustomer: boolean })[]> {
  return db<Trace & { isCustomer: boolean }>`
    select 'links' as table, l.id, l.client_id as "clientId", null as "serviceCode", l.amount,
      l.status, l.created_at as at, e.position::text as place,
      case when l.customer_phone = ${pseudonym} then 'forgotten' when e.id is null then 'open'
        else 'plain' end as state,
      coalesce(l.customer_phone = ${pseudonym} or ${customerDigits} = any(${written}::text[]),
        false) as "isCustomer"
    from links l
    left join events e on e.client_id = l.client_id and e.record_id = l.id
    where l.customer_phone = ${pseudonym} or ${customerDigits} = any(${written}::text[])
      or (l.client_id, l.id) in (select r."clientId", r."recordId" from ${recordRows(tried)} r)
    order by l.id`
}

/** Transactions and links, with their events: an event is the place of its record. */
export async function findPayments(db: Db, wanted: Wanted): Promise<Trace[]> {
  const transactions = await findTransactions(db, wanted)
  const tries = Map.groupBy(transactions, ({ linkId }) => linkId)
  const tried = transactions.flatMap(({ clientId, linkId }) =>
    clientId === null || linkId === null ? [] : [{ clientId, recordId: linkId }],
  )
  const links = (await findLinks(db, wanted, tried)).map(({ isCustomer, ...link }): Trace => {
    const isGone = (tries.get(link.id) ?? []).every(({ state }) => state === 'forgotten')
    return !isCustomer && isGone ? { ...link, state: 'forgotten' } : link
  })
  const payments = [...transactions.map((one): Trace => omit(one, ['linkId'])), ...links]
  const states = new Map(
    payments.map(({ place, clientId, state }) => [`${clientId} ${place}`, state]),
  )
  const records = recordsOf(transactions, links)
  const events = await db<Trace>`
    select 'events' as table, e.id, e.client_id as "clientId", null as "serviceCode",
      null::bigint as amount, null as status, e.created_at as at, 'plain' as state,
      e.position::text as place
    from ${recordRows(records)} as r
    join events e on e.client_id = r."clientId" and e.record_id = r."recordId"
    order by e.id`
  return [
    ...payments,
    ...events.map((one) => ({
      ...one,
      state: states.get(`${one.clientId} ${one.place}`) ?? one.state,
    })),
  ]
}

function recordsOf(
  transactions: (Trace & { linkId: string | null })[],
  links: Trace[],
): OwnRecord[] {
  const all = [...transactions, ...links.map((one) => ({ ...one, linkId: null }))]
  const found = all.flatMap(({ clientId, id, linkId }) =>
    clientId === null ? [] : [{ clientId, recordId: linkId ?? id }],
  )
  return [...new Map(found.map((one) => [one.recordId, one])).values()]
}

/** The records of a number, with the ids of their events. */
async function readRecords(
  db: Db,
  wanted: Wanted,
): Promise<{ records: OwnRecord[]; eventIds: OwnRecord[] }> {
  const found = await findPayments(db, wanted)
  const rowsIn = (tables: Trace['table'][]) =>
    found.flatMap(({ table, clientId, id }) =>
      clientId !== null && tables.includes(table) ? [{ clientId, recordId: id }] : [],
    )
  return { records: rowsIn(['transactions', 'links']), eventIds: rowsIn(['events']) }
}

/** What merchants' servers answered to events of the number, which may repeat it. */
export async function findAnswers(db: Db, wanted: Wanted): Promise<Trace[]> {
  const { eventIds } = await readRecords(db, wanted)
  return db<Trace>`
    select 'delivery_attempts' as table, d.id, d.client_id as "clientId", null as "serviceCode",
      null::bigint as amount, a.http_status::text as status, coalesce(a.at, d.created_at) as at,
      d.id::text as place,
      case when d.state = 'pending' then 'open' else 'plain' end as state
    from ${recordRows(eventIds)} as r
    join deliveries d on d.client_id = r."clientId" and d.event_id = r."recordId"
    left join delivery_attempts a on a.client_id = d.client_id and a.delivery_id = d.id
    -- One that is being delivered is still to be answered.
    where a.excerpt <> '' or d.state = 'pending'
    order by d.id, a.number`
}

/** Mails about payments of the number: they name who paid. */
export async function findMails(db: Db, wanted: Wanted): Promise<Trace[]> {
  const { records } = await readRecords(db, wanted)
  return db<Trace>`
    select 'mails' as table, m.id, m.client_id as "clientId", null as "serviceCode",
      null::bigint as amount, m.state as status, m.created_at as at, m.id::text as place,
      case when m.state = 'pending' then 'open' else 'plain' end as state
    from ${recordRows(records)} as r
    join mails m on m.client_id = r."clientId" and m.record_id = r."recordId"::text
    order by m.id`
}

/** Lines of batches. Those that were sent are forgotten with their transaction. */
export async function findPayoutLines(
  db: Db,
  { country, phone, pseudonym }: Wanted,
): Promise<Trace[]> {
  return db<Trace>`
    select 'batch_lines' as table, l.batch_id || ' ' || l.line as id, l.client_id as "clientId",
      l.service_code as "serviceCode", l.amount, l.state as status, b.created_at as at,
      case when l.transaction_id is null and b.completed_at is not null then l.batch_id::text
        end as place,
      case when l.phone = ${pseudonym} then 'forgotten'
        when l.transaction_id is null and b.completed_at is null then 'open'
        else 'plain' end as state
    from clients c
    join batch_lines l on l.client_id = c.id and l.phone in (${phone}, ${pseudonym})
    join batches b on (b.client_id, b.id) = (l.client_id, l.batch_id)
    where l.service_code is null or split_part(l.service_code, '_', 2) = ${country}
    order by l.batch_id, l.line`
}

// In whichever form the provider writes it; its last digits spare most lines the reading.
const isOfLine = fragment`
  (l.phone = w.pseudonym or right(l.phone, 2) = w.ending
    and regexp_replace(l.phone, '^([+]|00)|[^0-9]', '', 'g') = any(w.written))`

/** Lines of statements. There is no index for them: all lines of the country are read. */
export async function findLines(
  db: Db,
  { country, phone, pseudonym, written }: Wanted,
): Promise<Trace[]> {
  return db<Trace>`
    select 'statement_lines' as table, l.statement_id || ' ' || l.line as id,
      l.client_id as "clientId", s.provider || '_' || s.country as "serviceCode",
      l.sign * l.amount as amount, l.result as status, l.at,
      l.statement_id || ' ' || l.line as place,
      case when l.phone = w.pseudonym then 'forgotten'
        when s.state <> 'read' or exists (
          select from recon_cases c
          where c.statement_id = l.statement_id and c.line = l.line and c.state <> 'closed'
        ) then 'open' else 'plain' end as state
    from (values (${pseudonym}::text, ${phone.slice(-2)}::text, ${written}::text[]))
      as w (pseudonym, ending, written)
    cross join statements s
    join statement_lines l on l.statement_id = s.id
    where s.country = ${country} and ${isOfLine}
    order by l.statement_id, l.line`
}

/** Differences from statements. */
export async function findCases(
  db: Db,
  { country, phone, pseudonym, written }: Wanted,
): Promise<Trace[]> {
  return db<Trace>`
    select 'recon_cases' as table, c.id, c.client_id as "clientId",
      c.provider || '_' || c.country as "serviceCode", c.amount, c.kind as status,
      c.opened_at as at, c.id::text as place,
      case when not l.is_plain then 'forgotten' when c.state <> 'closed' then 'open'
        else 'plain' end as state
    from (values (${pseudonym}::text, ${phone.slice(-2)}::text, ${written}::text[]))
      as w (pseudonym, ending, written)
    cross join recon_cases c
    cross join lateral (
      select bool_or(l.phone <> w.pseudonym) as is_plain
      from (values (c.details #>> '{theirs,phone}'), (c.details #>> '{ours,phone}'),
        (c.details #>> '{earlier,phone}')) as l (phone)
      where ${isOfLine}
    ) l
    where c.country = ${country} and l.is_plain is not null
    order by c.id`
}

/** A block keeps the number from paying, for which it needs the number. */
export async function findBlocks(db: Db, { country, phone }: Wanted): Promise<Trace[]> {
  return db<Trace>`
    select 'blocked_numbers' as table, phone as id, null::integer as "clientId",
      null as "serviceCode", null::bigint as amount, null as status, blocked_at as at,
      'kept' as state, null as place
    from blocked_numbers where phone = ${country + phone}`
}

import { columns, type Db, type Tx } from '#data/db/db.ts'
import type { Run } from '#data/db/statement.ts'
import { ownClientId } from '#money/ledger/own.ts'
import { accountOf, type Party, type Statement } from './statement.ts'

const statementColumns = columns([
  'id',
  'provider',
  'country',
  'file_hash',
  'name',
  'format',
  'from_at',
  'to_at',
  'state',
  'share',
  'lines',
  'known',
  'matched',
  'ours_only',
  'theirs_only',
  'different',
  'ended',
  'cases',
  'opening',
  'closing',
  'net',
  'fees',
  'transfers',
  'imported_by',
  'imported_at',
  'read_at',
  'version',
])

/**
 * Takes the right to import a provider's statements, at the latest until the session ends. The
 * session of a process that died ends soon, so it waits as long as any statement waits for a lock.
 */
export async function lockParty(run: Run, { provider, country }: Party): Promise<void> {
  await run`select pg_advisory_lock(hashtext('statements'), hashtext(${`${provider} ${country}`}))`
}

/** The same at once; false: it is taken. */
export async function tryLockParty(run: Run, { provider, country }: Party): Promise<boolean> {
  const [row] = await run<{ isMine: boolean }>`
    select pg_try_advisory_lock(hashtext('statements'), hashtext(${`${provider} ${country}`}))
      as "isMine"`
  return row?.isMine ?? false
}

/** The same until the database transaction ends, for what is decided about a statement. */
export async function lockPartyWithin(tx: Tx, { provider, country }: Party): Promise<boolean> {
  const [row] = await tx<{ isMine: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('statements'), hashtext(${`${provider} ${country}`}))
      as "isMine"`
  return row?.isMine ?? false
}

/** Gives it back. */
export async function unlockParty(run: Run, { provider, country }: Party): Promise<void> {
  await run`
    select pg_advisory_unlock(hashtext('statements'), hashtext(${`${provider} ${country}`}))`
}

/** Begins the next turn of importing, after the transactions of the one before have ended. */
export async function takeTurn(db: Db | Tx, { provider, country }: Party): Promise<number> {
  const [row] = await db<{ turn: number }>`
    insert into statement_turns as t (provider, country, turn) values (${provider}, ${country}, 1)
    on conflict (provider, country) do update set turn = t.turn + 1
    returning turn`
  return row?.turn ?? 0
}

/** Whether it is still this turn; the next one then begins after this transaction. */
export async function hasTurn(
  tx: Tx,
  { provider, country }: Party,
  turn: number,
): Promise<boolean> {
  const rows = await tx`
    select from statement_turns
    where (provider, country, turn) = (${provider}, ${country}, ${turn})
    for share`
  return rows.length === 1
}

export async function insertStatement(
  run: Db | Tx,
  one: Pick<
    Statement,
    'id' | 'provider' | 'country' | 'name' | 'format' | 'importedBy' | 'importedAt'
  >,
): Promise<void> {
  await run`
    insert into statements (id, provider, country, name, format, state, imported_by, imported_at)
    values (${one.id}, ${one.provider}, ${one.country}, ${one.name}, ${one.format}, 'reading',
      ${one.importedBy}, ${one.importedAt})`
}

export async function findStatement(run: Db | Tx, id: string): Promise<Statement | undefined> {
  const [found] = await run<Statement>`
    select ${statementColumns} from statements where id = ${id}`
  return found
}

/** The statement of a provider that was made from the same file. */
export async function findSameFile(
  db: Db,
  { provider, country }: Party,
  fileHash: string,
): Promise<Statement | undefined> {
  const [found] = await db<Statement>`
    select ${statementColumns} from statements
    where (provider, country, file_hash) = (${provider}, ${country}, ${fileHash})`
  return found
}

/** Statements, newest first, before one. */
export function listStatements(
  db: Db,
  filter: { provider: string | null; country: string | null; below: string; limit: number },
): Promise<Statement[]> {
  const { provider, country, below, limit } = filter
  return db<Statement>`
    select ${statementColumns} from statements
    where provider = coalesce(${provider}, provider) and country = coalesce(${country}, country)
      and id < ${below}
    order by id desc
    limit ${limit}`
}

/** What is known once a file was read to its end. */
export async function writeRead(
  tx: Tx,
  one: Pick<
    Statement,
    'id' | 'fileHash' | 'format' | 'fromAt' | 'toAt' | 'lines' | 'opening' | 'closing' | 'net'
  >,
): Promise<void> {
  await tx`
    update statements set state = 'matching', file_hash = ${one.fileHash}, format = ${one.format},
      from_at = ${one.fromAt}, to_at = ${one.toAt}, lines = ${one.lines},
      opening = ${one.opening}, closing = ${one.closing}, net = ${one.net}, share = 400,
      version = version + 1
    where id = ${one.id}`
}

export async function writeShare(db: Db, id: string, share: number): Promise<void> {
  await db`
    update statements set share = ${share}, version = version + 1
    where id = ${id} and state <> 'read'`
}

export async function addEnded(tx: Tx, id: string, ended: number): Promise<void> {
  await tx`
    update statements set ended = ended + ${ended}, version = version + 1 where id = ${id}`
}

/** Locks a statement, so that one process ends its import. */
export async function lockStatement(tx: Tx, id: string): Promise<Statement | undefined> {
  const [found] = await tx<Statement>`
    select ${statementColumns} from statements where id = ${id} for update`
  return found
}

/**
 * What the lines of a statement book of the gateway's own money: fees and transfers, or the fees of
 * payments alone.
 */
export async function readOwnMoney(
  tx: Tx,
  id: string,
  { isOfPayments }: { isOfPayments: boolean },
): Promise<{ fees: number; transfers: number }> {
  const [sums] = await tx<{ fees: number; transfers: number }>`
    select coalesce(sum(fees_booked), 0)::bigint as fees,
      coalesce(sum(transfers_booked), 0)::bigint as transfers
    from statement_lines
    where statement_id = ${id} and not (${isOfPayments} and kind in ('fee', 'transfer'))`
  return sums ?? { fees: 0, transfers: 0 }
}

/** What is in suspense of lines that are none of ours, by what its postings are named. */
export function sumSuspended(
  tx: Tx,
  one: Pick<Statement, 'id'> & Party,
): Promise<{ name: string; amount: number }[]> {
  return tx`
    select substring(p.ref from '^[^/]+/[^/]+') as name, -sum(e.amount)::bigint as amount
    from ledger_postings p
    join ledger_entries e on e.client_id = p.client_id and e.posting_id = p.id
      and e.account = ${accountOf(one)}
    where p.client_id = ${ownClientId} and p.kind = 'suspend'
      and p.ref >= ${one.id} and p.ref < ${`${one.id}0`}
    group by 1
    having sum(e.amount) <> 0`
}

/** Ends an import, or a withdrawal: counts what is found, with its cases. */
export async function writeDone(
  tx: Tx,
  { id, state }: Pick<Statement, 'id' | 'state'>,
  done: { at: Date; fees: number; transfers: number },
): Promise<void> {
  await writeCounts(tx, id)
  await tx`
    update statements
    set state = ${state === 'withdrawing' ? 'withdrawn' : 'read'}, share = 1000,
      read_at = ${done.at}, fees = ${done.fees}, transfers = ${done.transfers},
      file_hash = case when state = 'withdrawing' then null else file_hash end
    where id = ${id}`
}

/** What a statement has booked after its import. */
export async function writeOwnMoney(
  tx: Tx,
  id: string,
  { fees, transfers }: { fees: number; transfers: number },
): Promise<void> {
  await tx`
    update statements set fees = ${fees}, transfers = ${transfers}, version = version + 1
    where id = ${id}`
}

/** Counts what was found in a statement. */
export async function writeCounts(tx: Tx, id: string): Promise<void> {
  await tx`
    update statements s
    set known = l.known, matched = l.matched, theirs_only = l.theirs_only,
      different = l.different, ours_only = c.ours_only, cases = c.cases, version = version + 1
    from (
      select count(*) filter (where bucket = 'known') as known,
        count(*) filter (where bucket = 'matched') as matched,
        count(*) filter (where bucket = 'theirs_only') as theirs_only,
        count(*) filter (where bucket = 'different') as different
      from statement_lines where statement_id = ${id}
    ) l, (
      select count(*) as cases, count(*) filter (where kind = 'ours_only') as ours_only
      from recon_cases where statement_id = ${id}
    ) c
    where s.id = ${id}`
}

/** Removes a file that was not read to its end, with its lines. */
export async function removeUnread(db: Db, id: string): Promise<void> {
  await db`
    with gone as (
      delete from statements where id = ${id} and state = 'reading' returning id
    )
    delete from statement_lines where statement_id in (select id from gone)`
}

/** Statements whose import or withdrawal has not come to its end, of one provider or of all. */
export function findUnfinished(
  db: Db,
  { provider = null, country = null }: { provider?: string | null; country?: string | null } = {},
): Promise<Statement[]> {
  return db<Statement>`
    select ${statementColumns} from statements
    where state in ('reading', 'matching', 'withdrawing')
      and (${provider}::text is null or provider = ${provider})
      and (${country}::text is null or country = ${country})
    order by id`
}

/** The versions of statements that pages follow. */
export async function readVersions(db: Db, ids: string[]): Promise<Map<string, string>> {
  const rows = await db<{ id: string; version: string }>`
    select id, version::text as version from statements where id = any(${ids}::uuid[])`
  return new Map(rows.map(({ id, version }) => [id, version]))
}

/** The newest statement of each provider that ever had one. */
export function readNewest(db: Db): Promise<{ provider: string; country: string; toAt: Date }[]> {
  return db`
    select provider, country, max(to_at) as "toAt" from statements
    where state = 'read' group by provider, country order by provider, country`
}

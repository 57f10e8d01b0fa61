import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { newId } from '#base/kit/ids.ts'
import type { Db } from '#data/db/db.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import {
  capture,
  collect,
  explain,
  fund,
  hold,
  type Posting,
  release,
  suspend,
  withdraw,
} from '#money/ledger/postings.ts'
import { verifyLedger } from '#operations/verify/ledger.ts'

/** The service of a code; throws if there is none. */
export function serviceOf(code: string) {
  const service = parseServiceCode(code)
  if (service === undefined) throw new Error(`there is no service ${code}`)
  return service
}

/**
 * Parses postings of a client from text: `fund REF AMOUNT`, `withdraw REF AMOUNT`,
 * `hold REF AMOUNT`, `suspend REF AMOUNT [SERVICE]`, `explain REF AMOUNT`,
 * `collect REF AMOUNT FEE [SERVICE]`, and to end a hold by its ref: `release REF HOLD AMOUNT`,
 * `capture REF HOLD AMOUNT FEE [SERVICE]`. A hold written twice is the same hold.
 */
export function bookkeeper(clientId: number, now: Date) {
  const holdIds = new Map<string, string>()
  const holdId = (ref: string): string => {
    const id = holdIds.get(ref) ?? newId(now)
    holdIds.set(ref, id)
    return id
  }
  const write = (text: string): Posting => {
    const [kind, ref = '', ...rest] = text.split(' ')
    const head = { clientId, id: kind === 'hold' ? holdId(ref) : newId(now), ref }
    const ending = kind === 'release' || kind === 'capture' ? holdId(rest.shift() ?? '') : ''
    const [amount, fee = 0] = rest.slice(0, 2).map(Number)
    if (amount === undefined) throw new Error(`no amount in "${text}"`)
    if (kind === 'fund') return fund(head, amount)
    if (kind === 'withdraw') return withdraw(head, amount)
    if (kind === 'hold') return hold(head, amount)
    if (kind === 'suspend') return suspend(head, serviceOf(rest[1] ?? 'WALLETA_SN_CASHOUT'), amount)
    if (kind === 'explain') return explain(head, amount)
    if (kind === 'release') return release(head, ending, amount)
    if (kind === 'collect')
      return collect(head, serviceOf(rest[2] ?? 'WALLETA_SN_CASHOUT'), amount, fee)
    if (kind === 'capture')
      return capture(head, ending, serviceOf(rest[2] ?? 'WALLETA_SN_CASHIN'), amount, fee)
    throw new Error(`"${kind}" is no posting`)
  }
  return { write, holdId }
}

/** Both balances of a client, [available, held]. */
export async function balances(db: Db, clientId: number): Promise<number[]> {
  const rows = await db<{ balance: number }>`
    select balance from ledger_accounts where client_id = ${clientId} order by kind`
  return rows.map((row) => row.balance)
}

/** Fails unless the ledger is sound: by `verifyLedger`, and by an independent check here. */
export async function assertSound(db: Db): Promise<void> {
  assert.deepEqual(await findBreaks(db), [])
  assert.deepEqual(await findBrokenLinks(db), [])
  assert.deepEqual((await verifyLedger(db)).breaks, [])
}

function findBreaks(db: Db): Promise<object[]> {
  return db`
    with lines as (
      select *, row_number() over chain as place, lag(after, 1, 0::bigint) over chain as reached
      from ledger_entries where account in ('available', 'held')
      window chain as (partition by client_id, account order by version)
    )
    select 'a posting sums to zero in each currency' as promise, client_id, posting_id::text as at
    from ledger_entries group by client_id, posting_id, currency having sum(amount) <> 0
    union all
    select 'a posting has lines', p.client_id, p.id::text from ledger_postings p
    where 2 > (select count(*) from ledger_entries e
      where (e.client_id, e.posting_id) = (p.client_id, p.id))
    union all
    select 'a balance is the sum of its entries', a.client_id, a.kind from ledger_accounts a
    left join lines e on (e.client_id, e.account) = (a.client_id, a.kind)
    group by a.client_id, a.kind
    having (a.balance, a.version) is distinct from (coalesce(sum(e.amount), 0), count(e.*))
    union all
    select 'entries follow each other without a gap', client_id, account || ' ' || version
    from lines where (version, before, after) is distinct from (place, reached, reached + amount)
    union all
    select 'no merchant is below zero', client_id, account || ' ' || version
    from lines where after < 0
    union all
    select 'a hold ends once', client_id, resolves::text
    from ledger_postings where resolves is not null
    group by client_id, resolves having count(*) > 1
    union all
    select 'what is held is what open holds hold', a.client_id, a.kind from ledger_accounts a
    where a.kind = 'held' and a.balance <> (
      select coalesce(sum(e.amount), 0) from ledger_postings h
      join ledger_entries e on (e.client_id, e.posting_id, e.account)
        = (h.client_id, h.id, 'held')
      where h.client_id = a.client_id and h.kind = 'hold' and not exists (
        select from ledger_postings r where (r.client_id, r.resolves) = (h.client_id, h.id)))`
}

/** Recomputes the hash chain: a change of its format would invalidate every existing ledger. */
async function findBrokenLinks(db: Db): Promise<string[]> {
  const rows = await db<Record<string, unknown> & { hash: string; digest: string; key: string }>`
    select e.client_id || ' ' || e.account as key, e.account, e.version, e.before, e.amount,
      e.after, encode(e.hash, 'hex') as hash, encode(p.digest, 'hex') as digest, p.client_id,
      p.id, p.kind, p.ref, p.resolves, p.created_at, (
        select json_agg(json_build_array(account, currency, amount) order by line)
        from ledger_entries l where (l.client_id, l.posting_id) = (p.client_id, p.id)) as lines
    from ledger_entries e
    join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
    where e.version is not null
    order by e.client_id, e.account, e.version`
  const heads = new Map<string, string>()
  return rows.flatMap((row) => {
    const { key, account, version, before, amount, after, hash } = row
    const { client_id, id, kind, ref, resolves, created_at, lines } = row
    const digest = sha256([client_id, id, kind, ref, resolves, created_at, lines])
    const previous = heads.get(key) ?? '0'.repeat(64)
    heads.set(key, hash)
    const link = sha256([previous, digest, account, version, before, amount, after])
    return digest === row.digest && link === hash ? [] : [`${key} version ${String(version)}`]
  })
}

function sha256(value: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

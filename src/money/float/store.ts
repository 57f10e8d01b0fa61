import { type Db, fragment, type Tx } from '#data/db/db.ts'

/** What is known of the money that a provider holds for us. */
export interface Float {
  provider: string
  country: string
  balance: number | null
  /** The provider; or the ledger, from what an operator knew, or from its beginning. */
  source: 'told' | 'counted' | 'ledger' | null
  knownAt: Date | null
  /** Why the provider last told nothing. */
  problem: string | null
  warnBelow: number | null
  alarmBelow: number | null
  declinedAt: Date | null
  declinedAmount: number | null
}

/** A provider in a country. */
export interface FloatId {
  provider: string
  country: string
}

const floatColumns = fragment`
  provider, country, balance, source, known_at as "knownAt", problem, warn_below as "warnBelow",
  alarm_below as "alarmBelow", declined_at as "declinedAt", declined_amount as "declinedAmount"`

export function readFloats(run: Db | Tx): Promise<Float[]> {
  return run<Float>`select ${floatColumns} from floats order by provider, country`
}

/** Claims the asking of a provider; false: another process asks, or has asked just now. */
export async function claimAsking(
  db: Db,
  { provider, country }: FloatId,
  now: Date,
  unlessSince: Date,
): Promise<boolean> {
  const rows = await db`
    insert into floats as f (provider, country, asked_at) values (${provider}, ${country}, ${now})
    on conflict (provider, country) do update set asked_at = excluded.asked_at
    where f.asked_at is null or f.asked_at < ${unlessSince}
    returning 1`
  return rows.length > 0
}

export async function writeTold(
  db: Db,
  { provider, country }: FloatId,
  told: { balance: number; now: Date },
): Promise<void> {
  await db`
    update floats set balance = ${told.balance}, source = 'told', known_at = ${told.now},
      problem = null
    where (provider, country) = (${provider}, ${country})`
}

export async function writeProblem(
  db: Db,
  { provider, country }: FloatId,
  problem: string,
): Promise<void> {
  await db`
    update floats set problem = ${problem} where (provider, country) = (${provider}, ${country})`
}

/**
 * Moves the balance of a provider that tells nothing on to a time, by what the ledger's account of
 * it has moved since the last one. The first time its whole account is read. Money that a provider
 * owes us is negative there.
 */
export async function countOn(tx: Tx, { provider, country }: FloatId, until: Date): Promise<void> {
  const [known] = await tx<{ base: number | null; baseAt: Date | null }>`
    select base, base_at as "baseAt" from floats
    where (provider, country) = (${provider}, ${country}) for update`
  const from = known?.baseAt ?? null
  if (from !== null && until <= from) return
  const balance = (known?.base ?? 0) + (await sumMoved(tx, { provider, country }, from, until))
  await tx`
    update floats set base = ${balance}, base_at = ${until}, balance = ${balance},
      source = coalesce(source, 'ledger'), known_at = ${until}, problem = null
    where (provider, country) = (${provider}, ${country})`
}

/** How the ledger's account of a provider has moved since a time, or ever; up to another. */
async function sumMoved(
  tx: Tx,
  { provider, country }: FloatId,
  from: Date | null,
  until: Date,
): Promise<number> {
  const account = `provider:${provider}:${country}`
  const [moved] =
    from === null
      ? await tx<{ amount: number }>`
          select coalesce(-sum(e.amount), 0)::bigint as amount
          from ledger_entries e
          join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
          where e.account = ${account} and p.created_at <= ${until}`
      : await tx<{ amount: number }>`
          select coalesce(-sum(e.amount), 0)::bigint as amount
          from ledger_postings p
          join ledger_entries e on (e.client_id, e.posting_id) = (p.client_id, p.id)
          where e.account = ${account} and p.created_at > ${from} and p.created_at <= ${until}`
  return moved?.amount ?? 0
}

/** Keeps a value for the history, the first one of its five minutes. */
export async function insertSample(db: Db, { provider, country }: FloatId, at: Date) {
  await db`
    insert into float_samples (provider, country, at, balance)
    select provider, country, date_bin('5 minutes', ${at}, '2000-01-01Z'), balance
    from floats
    where (provider, country) = (${provider}, ${country}) and balance is not null
    on conflict do nothing`
}

export async function deleteOldSamples(db: Db, before: Date): Promise<void> {
  await db`delete from float_samples where at < ${before}`
}

/** The history of a provider, oldest first, with the last value of each step. */
export function readSamples(
  db: Db,
  { provider, country }: FloatId,
  range: { from: Date; stepMinutes: number },
): Promise<{ at: Date; balance: number }[]> {
  return db<{ at: Date; balance: number }>`
    select distinct on (step) step as at, balance
    from (
      select date_bin(${range.stepMinutes} * interval '1 minute', at, '2000-01-01Z') as step, at,
        balance
      from float_samples
      where (provider, country) = (${provider}, ${country}) and at >= ${range.from}
    ) s
    order by step, at desc`
}

/** Locks what is known of a provider; a first row is made for it. */
export async function lockFloat(tx: Tx, { provider, country }: FloatId): Promise<Float> {
  await tx`
    insert into floats (provider, country) values (${provider}, ${country})
    on conflict do nothing`
  const [row] = await tx<Float>`
    select ${floatColumns} from floats
    where (provider, country) = (${provider}, ${country}) for update`
  if (row === undefined) throw new Error(`${provider} ${country} has no row`)
  return row
}

export async function updateThresholds(
  tx: Tx,
  { provider, country }: FloatId,
  { warnBelow, alarmBelow }: Pick<Float, 'warnBelow' | 'alarmBelow'>,
): Promise<void> {
  await tx`
    update floats set warn_below = ${warnBelow}, alarm_below = ${alarmBelow}
    where (provider, country) = (${provider}, ${country})`
}

/** The balance that an operator knows of a provider at a time. */
export async function updateBase(
  tx: Tx,
  { provider, country }: FloatId,
  known: { balance: number; at: Date },
): Promise<void> {
  await tx`
    update floats set base = ${known.balance}, base_at = ${known.at}, balance = ${known.balance},
      source = 'counted', known_at = ${known.at}
    where (provider, country) = (${provider}, ${country})`
}

/**
 * Remembers that a provider declined a payout for want of float. A counted balance that was not
 * below the amount then is lowered by what is too much: what moved before is in both of them.
 */
export async function writeDeclined(
  tx: Tx,
  { provider, country }: FloatId,
  declined: { amount: number; at: Date },
): Promise<void> {
  const { amount, at } = declined
  const [float] = await tx<{ source: Float['source']; base: number | null; baseAt: Date | null }>`
    insert into floats as f (provider, country, declined_at, declined_amount)
    values (${provider}, ${country}, ${at}, ${amount})
    on conflict (provider, country) do update
    set declined_at = excluded.declined_at, declined_amount = excluded.declined_amount
    returning source, base, base_at as "baseAt"`
  if (float?.source !== 'counted' || float.base === null) return
  const held = float.base + (await sumMoved(tx, { provider, country }, float.baseAt, at))
  const tooMuch = Math.max(0, held - (amount - 1))
  await tx`
    update floats set base = base - ${tooMuch}, balance = least(balance, ${amount} - 1)
    where (provider, country) = (${provider}, ${country})`
}

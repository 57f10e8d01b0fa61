import { type Db, fragment } from '#data/db/db.ts'
import type { Statement } from './statement.ts'

const ofParty = fragment`s.state = 'read' and (s.provider, s.country)`

/**
 * Since when statements follow each other without a gap up to this one, up to when others follow
 * it, and from when the one before it may not have all: it was imported while its time ran.
 */
export async function readCoverage(
  db: Db,
  { id, provider, country }: Pick<Statement, 'id' | 'provider' | 'country'>,
  gapMs: number,
): Promise<{ from: Date; followedTo: Date | null; unseenFrom: Date | null }> {
  const [found] = await db<{ from: Date; followedTo: Date | null; unseenFrom: Date | null }>`
    with recursive own as (
      select from_at, to_at from statements where id = ${id}
    ), chain (from_at) as (
      select from_at from own
      union
      select s.from_at from chain c
      join statements s on ${ofParty} = (${provider}, ${country})
        and s.from_at < c.from_at
        and s.to_at >= c.from_at - ${gapMs} * interval '1 millisecond'
    )
    select min(from_at) as "from", (
      select max(s.to_at) from statements s, own
      where ${ofParty} = (${provider}, ${country}) and s.id <> ${id}
        and s.to_at > own.to_at
        and s.from_at <= own.to_at + ${gapMs} * interval '1 millisecond'
    ) as "followedTo", (
      select min(s.imported_at) - interval '1 day' from statements s, own
      where ${ofParty} = (${provider}, ${country}) and s.id <> ${id}
        and s.imported_at < s.to_at and s.to_at <= own.to_at
        and s.to_at >= own.from_at - ${gapMs} * interval '1 millisecond'
    ) as "unseenFrom"
    from chain`
  if (found === undefined) throw new Error(`no statement ${id}`)
  return found
}

/** Up to when a statement has all there is: not of the day that ran when it was imported. */
export async function readWholeUntil(
  db: Db,
  { id, toAt, importedAt }: Pick<Statement, 'id' | 'toAt' | 'importedAt'>,
): Promise<Date> {
  if (toAt !== null && toAt <= importedAt) return toAt
  const [found] = await db<{ day: Date | null }>`
    select max(at) as day from statement_lines
    where statement_id = ${id} and is_day and at <= ${importedAt}
      and at > ${importedAt}::timestamptz - interval '1 day'`
  return found?.day ?? importedAt
}

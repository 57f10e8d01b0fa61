import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Finding } from './experiment.ts'
import type { Member } from './patroni-member.ts'

const eachMs = 250

/** A commit that a member acknowledged. */
interface Acknowledged {
  member: string
  number: number
  timeline: number
  beganMs: number
  endedMs: number
}

/** Asks each member by its socket, which no network cuts, to commit something all the time. */
export interface Witness {
  stop(): void
  /** Whether two acknowledged at once, and whether anything acknowledged is missing. */
  end(primary: Member): Promise<Finding[]>
}

export async function openWitness(members: Member[], primary: Member): Promise<Witness> {
  const first = primary.connect()
  await first.connect()
  await first.query('create table witnessed (number bigserial primary key, member text)')
  await first.end()
  const seen: Acknowledged[] = []
  const stopping = new AbortController()
  const watching = members.map((member) => watch(member, seen, stopping.signal))
  return {
    stop: () => stopping.abort(),
    end: async (last) => {
      stopping.abort()
      await Promise.all(watching)
      const client = last.connect()
      await client.connect()
      const { rows } = await client.query<{ number: string }>('select number from witnessed')
      await client.end()
      const kept = new Set(rows.map(({ number }) => Number(number)))
      const lost = seen.filter(({ number }) => !kept.has(number))
      const late = afterAnother(seen)
      return [
        {
          what: 'commits that members acknowledged; of them missing in the end',
          value: `${seen.length}; ${lost.length}`,
          isGood: seen.length > 0 && lost.length === 0,
        },
        {
          what: 'commits of an old primary after the first one of a new primary',
          value: String(late),
          isGood: late === 0,
        },
      ]
    },
  }
}

/** How many began after one of a higher timeline, which a promotion begins, had ended. */
function afterAnother(seen: Acknowledged[]): number {
  const firstEnd = new Map<number, number>()
  for (const { timeline, endedMs } of seen)
    firstEnd.set(timeline, Math.min(endedMs, firstEnd.get(timeline) ?? endedMs))
  return seen.filter(({ timeline, beganMs }) =>
    [...firstEnd].some(([other, endedMs]) => other > timeline && endedMs < beganMs),
  ).length
}

async function watch(member: Member, seen: Acknowledged[], stopping: AbortSignal): Promise<void> {
  let open: { client: pg.Client; timeline: number } | undefined
  while (!stopping.aborted) {
    const beganMs = Date.now()
    try {
      open ??= await connectTo(member)
      const number = await commit(open.client, member)
      const { timeline } = open
      seen.push({ member: member.name, number, timeline, beganMs, endedMs: Date.now() })
    } catch {
      // It is no primary, is gone, or does not confirm.
      open = undefined
    }
    await sleep(eachMs)
  }
  void open?.client.end().catch(() => {})
}

async function connectTo(member: Member): Promise<{ client: pg.Client; timeline: number }> {
  const client = member.connect()
  try {
    await client.connect()
    const { rows } = await client.query<{ timeline: string }>(
      'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline',
    )
    return { client, timeline: Number.parseInt(rows[0]?.timeline ?? '', 16) }
  } catch (problem) {
    void client.end().catch(() => {})
    throw problem
  }
}

async function commit(client: pg.Client, { name }: Member): Promise<number> {
  let warning: string | undefined
  const note = ({ message }: { message?: string | undefined }) => (warning = message)
  client.on('notice', note)
  try {
    const text = 'insert into witnessed (member) values ($1) returning number'
    const { rows } = await client.query<{ number: string }>(text, [name])
    if (warning !== undefined) throw new Error(warning)
    return Number(rows[0]?.number)
  } catch (problem) {
    void client.end().catch(() => {})
    throw problem
  } finally {
    client.off('notice', note)
  }
}

import type { Db, Tx } from '#data/db/db.ts'
import { lineKey } from '../cases/facts.ts'
import type { Payment } from '../cases/judge.ts'
import type { ReconContext } from '../context.ts'
import { lastingIdentity } from './identities.ts'
import { findRelated } from './line-store.ts'
import { readOurs, readSuspended, readSuspendedStrange } from './match-store.ts'
import { codesOf } from './party.ts'
import { accountOf, type Statement, type StoredLine } from './statement.ts'

interface Owner {
  clientId: number
  transactionId: string
  attemptId: string
}

/**
 * The payments that lines are about, each with every line of the provider's other files that tells
 * of it and with what our books have of it.
 */
export async function readPayments(
  run: Db | Tx,
  { pseudonymOf }: Pick<ReconContext, 'pseudonymOf'>,
  statement: Statement,
  lines: StoredLine[],
  read?: { first: number; last: number },
): Promise<Payment[]> {
  const known = (line: StoredLine) => ({ ...line, lasting: lastingIdentity(line, pseudonymOf) })
  const wanted = lines.map(known)
  const names = wanted.flatMap(({ identity, lasting, kind }) =>
    [...new Set([identity, lasting])].map((name) => ({ identity: name, kind })),
  )
  const transactions = wanted.flatMap(({ clientId, transactionId: id }) =>
    clientId === null || id === null ? [] : [{ clientId, id }],
  )
  const asked = { names: distinct(names), transactions: distinct(transactions) }
  const related = await findRelated(run, statement, asked, read)
  const all = new Map([...related.map(known), ...wanted].map((line) => [lineKey(line), line]))
  const owners = ownersOf([...all.values()])
  const groups = new Map<string, { owner: Owner | undefined; lines: StoredLine[] }>()
  for (const { lasting, ...line } of all.values()) {
    const owner = ownerOf(line) ?? owners.get(`${line.kind} ${lasting}`)
    const key = owner ? `${owner.clientId} ${owner.transactionId}` : `${line.kind} ${lasting}`
    const group = groups.get(key) ?? { owner, lines: [] }
    group.lines.push({ ...line, identity: lasting, ...owner })
    groups.set(key, group)
  }
  return withBooks(run, statement, [...groups.values()])
}

/** Each once. */
function distinct<T extends object>(all: T[]): T[] {
  return [...new Map(all.map((one) => [Object.values(one).join(' '), one])).values()]
}

/** Whose payments the lines are about that are known by the same. */
function ownersOf(lines: (StoredLine & { lasting: string })[]): Map<string, Owner> {
  return new Map(
    lines.flatMap((line): [string, Owner][] => {
      const owner = ownerOf(line)
      return owner === undefined ? [] : [[`${line.kind} ${line.lasting}`, owner]]
    }),
  )
}

function ownerOf({ clientId, transactionId, attemptId }: StoredLine): Owner | undefined {
  if (clientId === null || transactionId === null || attemptId === null) return undefined
  return { clientId, transactionId, attemptId }
}

async function withBooks(
  run: Db | Tx,
  statement: Statement,
  groups: { owner: Owner | undefined; lines: StoredLine[] }[],
): Promise<Payment[]> {
  const owned = groups.flatMap(({ owner }) => owner ?? [])
  const ids = owned.map(({ clientId, transactionId: id }) => ({ clientId, id }))
  const rows = ids.length === 0 ? [] : await readOurs(run, ids, codesOf(statement))
  const ours = new Map(rows.map((one) => [`${one.clientId} ${one.id}`, one]))
  const payments = groups.map(({ owner, lines }) => ({
    lines,
    ours: owner && ours.get(`${owner.clientId} ${owner.transactionId}`),
  }))
  // Of one success with one line nothing was ever put in suspense that a line could claim.
  const attempts = payments.flatMap(({ lines, ours: one }) =>
    one === undefined || (one.status === 'SUCCESS' && lines.length === 1)
      ? []
      : [...new Set(lines.map(({ attemptId }) => attemptId ?? one.attemptId))].map((id) => ({
          clientId: one.clientId,
          id,
        })),
  )
  const suspended =
    attempts.length === 0 ? [] : await readSuspended(run, attempts, accountOf(statement))
  // A line that nobody has judged yet, and that is told of once, was never put there.
  const strange = payments.flatMap(({ lines, ours: one }) =>
    one !== undefined || (lines.length === 1 && lines[0]?.bucket === null) ? [] : lines,
  )
  const strangers =
    strange.length === 0 ? [] : await readSuspendedStrange(run, strange, accountOf(statement))
  const strangeOf = Map.groupBy(strangers, lineKey)
  const suspendedOf = Map.groupBy(suspended, ({ attemptId }) => attemptId)
  return payments.map(({ lines, ours: one }) => {
    if (one === undefined)
      return {
        lines,
        ours: one,
        suspended: lines.flatMap((line) => strangeOf.get(lineKey(line)) ?? []),
      }
    const own = new Set(lines.map(({ attemptId }) => attemptId ?? ''))
    return { lines, ours: one, suspended: [...own].flatMap((id) => suspendedOf.get(id) ?? []) }
  })
}

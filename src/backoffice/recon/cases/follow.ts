import type { Case, CaseKind } from './case.ts'
import type { FoundCase } from './case-store.ts'
import { type Fact, lineKey } from './facts.ts'
import { type CaseDraft, type Judgement, sidesOf } from './judge.ts'

/** A case that there is, and what people have moved to merchants for it. */
export interface KnownCase extends Case {
  moved: number
}

/** What becomes of cases: which are closed, which open again, and what they are now. */
export interface Following {
  closed: KnownCase[]
  reopened: KnownCase[]
  written: FoundCase[]
}

const groups = ['money', 'fee', 'day'] as const

function groupOf(kind: CaseKind): (typeof groups)[number] {
  return kind === 'fee' || kind === 'day' ? kind : 'money'
}

/**
 * What becomes of the cases of a payment. A case belongs to what its line tells of, and goes with
 * it to the line that counts, with its person and notes. It is what statement and books differ by,
 * less what people have moved for it; while that is as it was when a person closed it, it stays so.
 */
export function followCases(judgement: Judgement, known: KnownCase[]): Following {
  const { facts, verdicts, holder } = judgement
  const byLine = Map.groupBy(known, ({ statementId, line }) =>
    line === null ? '' : lineKey({ statementId, line }),
  )
  const draftsOf = new Map(verdicts.map(({ line, cases }) => [line, cases]))
  const all = facts.flatMap((fact) => {
    const drafts = draftsOf.get(fact.current) ?? []
    const ofLines = fact.lines.flatMap((line) => byLine.get(lineKey(line)) ?? [])
    const own = fact === holder ? [...ofLines, ...(byLine.get('') ?? [])] : ofLines
    return groups.map((group) =>
      followOne(
        judgement,
        fact,
        group,
        drafts.find(({ kind }) => groupOf(kind) === group),
        own.filter(({ kind }) => groupOf(kind) === group),
      ),
    )
  })
  return joined(all)
}

/** What becomes of the cases of many. */
export function joined(all: Following[]): Following {
  return {
    closed: all.flatMap(({ closed }) => closed),
    reopened: all.flatMap(({ reopened }) => reopened),
    written: all.flatMap(({ written }) => written),
  }
}

function followOne(
  { payment: { ours } }: Judgement,
  { current }: Fact,
  group: (typeof groups)[number],
  draft: CaseDraft | undefined,
  own: KnownCase[],
): Following {
  const bearer = bearerOf(own)
  const moved = own.reduce((sum, one) => sum + one.moved, 0)
  const difference = draft?.amount ?? 0
  const amount = difference - moved
  const isWrong = amount !== 0 || (draft !== undefined && moved === 0)
  const isOpen = isWrong && !isDecided(bearer, difference)
  const closed = own.filter((one) => one.state === 'open' && !(isOpen && one === bearer))
  // Where nothing differs any more, what people have moved is too much, whatever it was moved for.
  const kind = draft?.kind ?? (group === 'money' ? 'amount' : group)
  const place = { statementId: current.statementId, line: current.line, kind }
  const isTaken = own.some((one) => one !== bearer && isAt(one, place))
  const owner = { clientId: ours?.clientId ?? null, transactionId: ours?.id ?? null }
  if (isOpen) {
    const details = { ...bearer?.details, ...(draft?.details ?? sidesOf(current, ours)) }
    const at = bearer !== undefined && isTaken ? bearer : place
    const found = { ...pick(at), ...owner, id: bearer?.id ?? null, amount, difference, details }
    return { closed, reopened: bearer?.state === 'closed' ? [bearer] : [], written: [found] }
  }
  // What a person has closed goes with what it is about.
  const isLeft = bearer?.state !== 'closed' || draft === undefined || isTaken
  if (isLeft || isAt(bearer, place)) return { closed, reopened: [], written: [] }
  return { closed, reopened: [], written: [{ ...bearer, ...place, ...owner, difference }] }
}

function isAt(one: KnownCase, { statementId, line, kind }: Place): boolean {
  return one.statementId === statementId && one.line === line && one.kind === kind
}

type Place = Pick<FoundCase, 'statementId' | 'line' | 'kind'>

function pick({ statementId, line, kind }: Place): Place {
  return { statementId, line, kind }
}

const byPeople = new Set<string | null>(['resolved', 'sent_back', 'adjusted', 'ignored'])

/** Whether it is what a person has decided about. */
export function isDecided(one: KnownCase | undefined, difference: number): boolean {
  if (one === undefined || one.state === 'waiting') return false
  return difference === (one.decided ?? (byPeople.has(one.closing) ? one.amount : null))
}

/** The case that goes on: what waits first, then what is open, then what people have decided. */
function bearerOf(own: KnownCase[]): KnownCase | undefined {
  const rank = ({ state, kind, decided }: KnownCase) =>
    (kind === 'ours_only' ? 10 : 0) +
    (state === 'waiting' ? 0 : state === 'open' ? 1 : decided === null ? 3 : 2)
  return own
    .filter(({ kind, moved }) => kind !== 'ours_only' || moved !== 0)
    .toSorted((one, other) => rank(one) - rank(other) || (one.id < other.id ? 1 : -1))[0]
}

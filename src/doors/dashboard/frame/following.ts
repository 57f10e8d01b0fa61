import { setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from '#base/kit/clock.ts'
import { isUuid } from '#base/kit/ids.ts'
import { RecentMap } from '#base/kit/recent-map.ts'
import type { Http } from '#edge/http/http.ts'
import type { People } from '#merchants/people/open.ts'
import type { ShownBySession } from '#merchants/people/sessions/store.ts'
import { readCookie, sessionCookie } from './cookies.ts'
import { openRefreshes } from './refreshes.ts'
import type { AnyVisit } from './visit.ts'

/** Reads the marks of some clients or records, by their keys: `17`, `17 ID`, `ID` or nothing. */
type ReadMarks = (keys: string[]) => Promise<Map<string, string>>

const ofGateway = ['health', 'import', 'statement'] as const
const ofClients = ['client', 'transaction', 'link', 'batch'] as const
// The others are of the record that the address names.
const withoutId = new Set<Followed>(['health', 'client'])

/** What a page shows: the gateway, a client as a whole, or the record that its address names. */
export type Followed = (typeof ofGateway)[number] | (typeof ofClients)[number]

/** How marks are read: short texts that are others whenever what is shown has changed. */
export type MarkReaders = Record<Followed, ReadMarks>

/** Where a page asks whether it has changed, and after how many seconds each time. */
export interface Follow {
  address: string
  seconds: number
}

interface FollowingParts {
  people: { sessions: Pick<People['sessions'], 'shownBy'> }
  isHttps: boolean
  marks: MarkReaders
}

interface Subject {
  of: Followed
  key: string
}

/** What an open page asks: whether its session still shows this, with this mark. */
interface Question {
  session: string
  /** The client or the gateway, and the role in which it is shown. */
  as: string
  subject: Subject
  mark: string
}

type Answer = 'same' | 'changed' | 'later'

const gatherMs = 200
const freshMs = 700
const knownMax = 10_000

/**
 * Where a page asks and how often. Called before the page is read, so that its first question is
 * answered with what changed meanwhile.
 */
export type Following = (visit: AnyVisit, of: Followed) => Promise<Follow>

/**
 * GET /dashboard/changes. Pages that are open ask whether what they show has changed, and read
 * themselves again if so. Questions are gathered for a moment: one statement looks at the sessions
 * of all, and one for each kind of subject at the marks that were not read just now.
 */
export function addFollowing(
  http: Http,
  { people, isHttps, marks: readers }: FollowingParts,
): Following {
  const marks = openMarks(readers)
  const refreshes = openRefreshes()
  let waiting: Question[] = []
  let looking: Promise<Set<Question>> | undefined

  /** Those of the gathered questions that come from a session which still shows their subject. */
  async function look(): Promise<Set<Question>> {
    await sleep(gatherMs)
    const asked = waiting
    waiting = []
    looking = undefined
    const shown = await people.sessions.shownBy([...new Set(asked.map(({ session }) => session))])
    const allowed = asked.filter(({ session, as }) => isShown(shown.get(session), as))
    await marks.read(allowed.map(({ subject }) => subject))
    return new Set(allowed)
  }

  async function answer(question: Question): Promise<Answer> {
    const { subject, mark } = question
    waiting.push(question)
    looking ??= look()
    // To whom it is not shown any more the page says so itself.
    if (!(await looking).has(question)) return 'changed'
    if (marks.of(subject) === mark) return 'same'
    return refreshes.mayRefresh(isRecord(subject.of)) ? 'changed' : 'later'
  }

  const options = { schema: { hide: true }, config: { isUnlogged: true } }
  // 205: the page is to read itself again; 204: it is not.
  http.get<{ Querystring: Record<string, unknown> }>(path, options, async (request, reply) => {
    const text = (name: string) => {
      const value = request.query[name]
      return typeof value === 'string' ? value : ''
    }
    const subject = subjectOf(text('as'), text('of'), text('id'))
    if (subject === undefined) return reply.code(404).send()
    const session = readCookie(request, sessionCookie(isHttps))
    if (session === undefined) return reply.code(205).send()
    const told = await answer({ session, as: text('as'), subject, mark: text('mark') })
    if (told === 'later' || !refreshes.mayAskSoon(isRecord(subject.of)))
      reply.header('Retry-After', isRecord(subject.of) ? 3 : 10)
    return reply.code(told === 'changed' ? 205 : 204).send()
  })

  return async (visit, of) => {
    const id = isRecord(of) ? visit.part('id') : ''
    const subject = { of, key: keyOf(visit.client?.id, id) }
    if (!isRecord(of) || isUuid(id)) await marks.read([subject])
    const as = `${visit.client?.id ?? 'ops'}.${visit.role}`
    const query = new URLSearchParams({ of, id, as, mark: marks.of(subject) })
    return { address: `${path}?${query.toString()}`, seconds: isRecord(of) ? 1.5 : 4 }
  }
}

/** The marks of subjects, read for many at once and kept for a moment. */
function openMarks(readers: MarkReaders) {
  const known = new RecentMap<string, { mark: string; atMs: number }>(knownMax)
  const isStale = (one: Subject, nowMs: number) =>
    (known.get(nameOf(one))?.atMs ?? Number.NEGATIVE_INFINITY) < nowMs - freshMs
  return {
    of: (one: Subject): string => known.get(nameOf(one))?.mark ?? '',
    async read(subjects: Subject[]): Promise<void> {
      const atMs = monotonicMs()
      const stale = subjects.filter((one) => isStale(one, atMs))
      await Promise.all(
        [...Map.groupBy(stale, ({ of }) => of)].map(async ([of, some]) => {
          const keys = [...new Set(some.map(({ key }) => key))]
          const found = await readers[of](keys)
          for (const key of keys)
            known.set(nameOf({ of, key }), { mark: found.get(key) ?? '', atMs })
        }),
      )
    },
  }
}

const path = '/dashboard/changes'

function isRecord(of: Followed): boolean {
  return !withoutId.has(of)
}

function nameOf({ of, key }: Subject): string {
  return `${of} ${key}`
}

function keyOf(clientId: number | string | undefined, id: string): string {
  return [clientId, id.toLowerCase()].filter((part) => part !== undefined && part !== '').join(' ')
}

/** Whether a session shows a client or the gateway in this role now. */
function isShown(shown: ShownBySession | undefined, as: string): boolean {
  const { clientId, role = null, operatorRole = null } = shown ?? {}
  if (role !== null && as === `${clientId}.${role}`) return true
  return operatorRole !== null && as === `ops.${operatorRole}`
}

/** The subject of a question, which is of the client that the session must show. */
function subjectOf(as: string, of: string, id: string): Subject | undefined {
  const [, clientId = ''] = /^(\d{1,9}|ops)\.[a-z-]+$/.exec(as) ?? []
  const isOps = clientId === 'ops'
  const known = (isOps ? ofGateway : ofClients).find((one) => one === of)
  if (clientId === '' || known === undefined) return undefined
  if (isRecord(known) ? !isUuid(id) : id !== '') return undefined
  return { of: known, key: keyOf(isOps ? undefined : clientId, id) }
}

import { Type } from 'typebox'
import { isUuid } from '#base/kit/ids.ts'
import type { Caller } from '#merchants/clients/authenticate.ts'
import { EventWire } from './event.ts'
import { eventName } from './event-name.ts'
import { OneOf } from './one-of.ts'
import { feedLimitPattern } from './pagination.ts'
import { feedCursorPattern } from './patterns.ts'

const after = (leftOut: string) =>
  Type.Optional(
    Type.String({
      pattern: feedCursorPattern,
      description: `The cursor of the last event you have, or \`start\`; left out: ${leftOut}`,
    }),
  )

export const FeedQuery = Type.Object({
  after: after('from the beginning'),
  limit: Type.Optional(
    Type.String({ pattern: feedLimitPattern, description: '1 to 1000, 100 if left out' }),
  ),
})

export const StreamQuery = Type.Object({ after: after('what happens from now on') })

export const FeedEventWire = Type.Object(
  {
    id: Type.String({ description: 'The same as webhook-id of its deliveries' }),
    cursor: Type.String(),
    createdAt: Type.String({ format: 'date-time' }),
    type: Type.String({ description: 'The kind of event, such as cashout.success' }),
    event: EventWire,
  },
  { title: 'Feed event' },
)

export const FeedAnswer = Type.Object(
  {
    success: Type.Boolean(),
    events: Type.Array(FeedEventWire),
    next: Type.String({ description: 'Ask again with after=next' }),
  },
  { title: 'Event list' },
)

export const ReplayAnswer = Type.Object(
  {
    success: Type.Boolean({ description: 'The delivery is recorded; see what became of it' }),
    message: Type.String(),
    delivery: Type.Object(
      {
        state: OneOf(['delivered', 'pending', 'stopped', 'exhausted'], {
          description: '`pending` is tried again; `stopped`: your address answered 410',
        }),
        httpStatus: Type.Union([Type.Integer(), Type.Null()], {
          description: 'What your address answered; null: nothing (yet)',
        }),
        problem: Type.Union([Type.String(), Type.Null()], {
          description: 'Why there was no answer',
        }),
        nextTryAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
      },
      { title: 'Replayed delivery' },
    ),
  },
  { title: 'Replay answer' },
)

interface Replayed {
  state: 'delivered' | 'pending' | 'stopped' | 'exhausted'
  tries: number
  lastStatus: number | null
  lastProblem: string | null
  dueAt: Date | null
}

/** What became of a replay, and a sentence about it. */
export function writeReplay({ state, tries, lastStatus, lastProblem, dueAt }: Replayed) {
  // Before the first try the row's date is the end of a lease.
  const nextTryAt = tries === 0 ? null : (dueAt?.toISOString() ?? null)
  const answer = lastStatus === null ? `did not answer (${lastProblem})` : `answered ${lastStatus}`
  const next = nextTryAt === null ? 'it is not tried again' : `the next attempt is at ${nextTryAt}`
  const message = () => {
    if (state === 'delivered') return 'Event replayed successfully'
    if (tries === 0) return 'The event is being sent: your address has not answered yet'
    return `Your address ${answer}: ${next}`
  }
  const delivery = { state, httpStatus: lastStatus, problem: lastProblem, nextTryAt }
  return { success: true, message: message(), delivery }
}

/** The position that a checked `after` names; undefined when it is left out. */
export function readCursor(after: string | undefined): number | undefined {
  if (after === undefined) return undefined
  return after === 'start' ? 0 : Number(after)
}

interface FeedEvent {
  id: string
  position: number
  body: string
  createdAt: Date
}

const idPrefix = 'evt_'

const noBalances = { BALANCE: 0, PREVIOUS_BALANCE: 0, CURRENT_BALANCE: 0 }

/**
 * An event as the feed and the streams show it to a key; `event` is the body of its webhook,
 * without balances if the key may not read them. Programs expect the fields.
 */
export function writeFeedEvent(
  { id, position, body, createdAt }: FeedEvent,
  { rights }: Pick<Caller, 'rights'>,
) {
  const event = { ...JSON.parse(body), ...(rights.includes('balance') ? {} : noBalances) }
  return {
    id: idPrefix + id,
    cursor: String(position),
    createdAt: createdAt.toISOString(),
    type: eventName(event),
    event,
  }
}

export function writeFeed(events: FeedEvent[], after: number, caller: Pick<Caller, 'rights'>) {
  const next = events.at(-1)?.position ?? after
  const written = events.map((event) => writeFeedEvent(event, caller))
  return { success: true, events: written, next: String(next) }
}

/**
 * The stored id of an event, given with or without its prefix, or as the `webhook-id` of a message
 * to which a code was added; undefined for any other text.
 */
export function readEventId(text: string): string | undefined {
  const id = text.replace(/^evt_/, '').replace(/\.code$/, '')
  return isUuid(id) ? id : undefined
}

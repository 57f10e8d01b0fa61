import { Type } from 'typebox'
import { isUuid } from '../kit/ids.ts'
import { EventWire } from './event.ts'
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

/** An event as the feed and the streams show it; `event` is the body of its webhook. */
export function writeFeedEvent({ id, position, body, createdAt }: FeedEvent) {
  return {
    id: idPrefix + id,
    cursor: String(position),
    createdAt: createdAt.toISOString(),
    event: JSON.parse(body),
  }
}

export function writeFeed(events: FeedEvent[], after: number) {
  const next = events.at(-1)?.position ?? after
  return { success: true, events: events.map(writeFeedEvent), next: String(next) }
}

/** The stored id of an event, given with or without its prefix; undefined for any other text. */
export function readEventId(text: string): string | undefined {
  const id = text.startsWith(idPrefix) ? text.slice(idPrefix.length) : text
  return isUuid(id) ? id : undefined
}

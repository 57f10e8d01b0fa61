import { Type } from 'typebox'
import { isUuid } from '../kit/ids.ts'
import { EventWire } from './event.ts'

export const FeedQuery = Type.Object({
  after: Type.Optional(
    Type.String({ pattern: '^[0-9]{1,15}$', description: 'The cursor of the last event you have' }),
  ),
  limit: Type.Optional(
    Type.String({ pattern: '^([1-9][0-9]{0,2}|1000)$', description: '1 to 1000, 100 if left out' }),
  ),
})

export const FeedEventWire = Type.Object(
  {
    id: Type.String({ description: 'The same as webhook-id of its deliveries' }),
    cursor: Type.String(),
    createdAt: Type.String({ format: 'date-time' }),
    event: EventWire,
  },
  { title: 'Feed event' },
)

export const FeedAnswer = Type.Object({
  success: Type.Boolean(),
  events: Type.Array(FeedEventWire),
  next: Type.String({ description: 'Ask again with after=next' }),
})

interface Told {
  id: string
  position: number
  body: string
  createdAt: Date
}

const prefix = 'evt_'

/** An event as the feed and the streams show it; `event` is the body that webhooks carry. */
export function writeFeedEvent({ id, position, body, createdAt }: Told) {
  return {
    id: prefix + id,
    cursor: String(position),
    createdAt: createdAt.toISOString(),
    event: JSON.parse(body),
  }
}

export function writeFeed(events: Told[], after: number) {
  const next = events.at(-1)?.position ?? after
  return { success: true, events: events.map(writeFeedEvent), next: String(next) }
}

/** The id of an event as we keep it; undefined for anything else. */
export function readEventId(text: string): string | undefined {
  const id = text.startsWith(prefix) ? text.slice(prefix.length) : text
  return isUuid(id) ? id : undefined
}

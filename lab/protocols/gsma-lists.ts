import type { Answer, Call } from '../router.ts'
import { invalid } from './gsma-errors.ts'

/** A list as this protocol answers it: a part of it, and in headers how many there are in all. */
export function listAnswer({ query }: Call, items: unknown[]): Answer {
  const offset = wholeNumber(query.get('offset'), 0)
  const limit = wholeNumber(query.get('limit'), items.length)
  if (offset === undefined) return invalid('offset')
  if (limit === undefined) return invalid('limit')
  const returned = items.slice(offset, offset + limit)
  return {
    status: 200,
    body: returned,
    headers: {
      'x-records-available-count': String(items.length),
      'x-records-returned-count': String(returned.length),
    },
  }
}

function wholeNumber(value: string | null, otherwise: number): number | undefined {
  if (value === null) return otherwise
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined
}

import { type Static, Type } from 'typebox'
import { type Reason, reason } from '#base/kit/refusal.ts'

const limitMax = 100
const pagePattern = '^[1-9][0-9]{0,14}$'
const pages = { min: 1, max: 999_999_999_999_999 }
/** Of the page size of every list. */
export const limitPattern = `^([1-9][0-9]?|${limitMax})$`
/** Of the page size of the feed of events. */
export const feedLimitPattern = '^([1-9][0-9]{0,2}|1000)$'

/** Queries are texts; these patterns stand for whole numbers, as which they are described. */
export const wholeNumberPatterns = new Map([
  [pagePattern, { type: 'integer', minimum: pages.min, default: 1 }],
  [limitPattern, { type: 'integer', minimum: 1, maximum: limitMax, default: 20 }],
  [feedLimitPattern, { type: 'integer', minimum: 1, maximum: 1000, default: 100 }],
])

export const PageQuery = Type.Object({
  page: Type.Optional(
    Type.String({ pattern: pagePattern, description: 'From 1 on, 1 if left out' }),
  ),
  limit: Type.Optional(
    Type.String({ pattern: limitPattern, description: `1 to ${limitMax}, 20 if left out` }),
  ),
})

/** A part of a list; pages count from 1. */
export interface Page {
  page: number
  limit: number
}

/** Violations of the query, described as ranges of numbers; its patterns alone give "not valid". */
export function checkPage({ page, limit }: Static<typeof PageQuery>): Reason[] {
  const problems: Reason[] = []
  if (!isLike(pagePattern, page))
    problems.push(reason('{field} must be a whole number from {min} to {max}', pages, 'page'))
  const tooMany = limitProblem(limit)
  return tooMany === undefined ? problems : [...problems, tooMany]
}

/** What is wrong with the page size of a list. */
export function limitProblem(limit: unknown): Reason | undefined {
  if (isLike(limitPattern, limit)) return undefined
  const range = { min: 1, max: limitMax }
  return reason('{field} must be a whole number from {min} to {max}', range, 'limit')
}

/** A checked query as a page. */
export function readPage({ page = '1', limit = '20' }: Static<typeof PageQuery>): Page {
  return { page: Number(page), limit: Number(limit) }
}

function isLike(pattern: string, value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && new RegExp(pattern).test(value))
}

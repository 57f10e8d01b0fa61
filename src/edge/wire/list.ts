import { type Static, Type } from 'typebox'
import { isUuid } from '#base/kit/ids.ts'
import type { Language } from '#base/kit/language.ts'
import { isWholeDay, readTime } from '#base/kit/read-time.ts'
import { type Reason, reason } from '#base/kit/refusal.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import type { Link } from '#money/links/link.ts'
import type { LinkPage } from '#money/links/list.ts'
import type { ListRange, TransactionPage } from '#money/transactions/list.ts'
import {
  operations,
  type Transaction,
  transactionStatuses,
} from '#money/transactions/transaction.ts'
import { ServiceCode } from './enums.ts'
import { LinkDetailWire, linkDetail } from './link.ts'
import { OneOf } from './one-of.ts'
import { limitPattern, limitProblem } from './pagination.ts'
import { phonePattern } from './patterns.ts'
import { noSuchService } from './service.ts'
import { linkAsDetail, TransactionDetailWire, transactionDetail } from './transaction-detail.ts'

const rangeFields = {
  limit: Type.Optional(
    Type.String({ pattern: limitPattern, description: '1 to 100, 20 if left out' }),
  ),
  after: Type.Optional(Type.String({ description: '`next` of the page before' })),
  from: Type.Optional(
    Type.String({ description: 'Created at or after: 2026-11-16 or 2026-11-16T08:30:00Z' }),
  ),
  to: Type.Optional(
    Type.String({ description: 'Created before this time; a day is included as a whole' }),
  ),
  number: Type.Optional(Type.String({ pattern: phonePattern })),
  sub_merchant_id: Type.Optional(Type.String({ maxLength: 128 })),
  externalTransactionIdPrefix: Type.Optional(
    Type.String({ maxLength: 128, description: 'What your own identifiers begin with' }),
  ),
}

export const TransactionListQuery = Type.Object({
  ...rangeFields,
  status: Type.Optional(OneOf(transactionStatuses)),
  type: Type.Optional(OneOf([...operations, 'PAYMENT'])),
  service: Type.Optional(ServiceCode),
})

export const LinkListQuery = Type.Object({
  ...rangeFields,
  status: Type.Optional(OneOf(['PENDING', 'SUCCESS', 'FAILED', 'EXPIRED'])),
})

const next = Type.Union([Type.String(), Type.Null()], {
  description:
    'Ask again with after=next; null: there is no more. A page may hold fewer than `limit`, ' +
    'even none, and still have a next one, when few records pass the filters.',
})

export const TransactionListAnswer = Type.Object(
  {
    message: Type.String(),
    success: Type.Boolean(),
    transactions: Type.Array(TransactionDetailWire),
    next,
  },
  { title: 'Transaction list' },
)

export const LinkListAnswer = Type.Object(
  {
    message: Type.String(),
    success: Type.Boolean(),
    links: Type.Array(LinkDetailWire),
    next,
  },
  { title: 'Link list' },
)

type RangeQuery = Pick<Static<typeof TransactionListQuery>, keyof typeof rangeFields | 'service'>

/** Violations of the query that the schema cannot express, or only as "not valid". */
export function checkList({ limit, after, from, to, service }: RangeQuery): Reason[] {
  const problems = [
    limitProblem(limit),
    typeof after === 'string' && !isUuid(after) ? invalidAfter : undefined,
    timeProblem('from', from),
    timeProblem('to', to),
    typeof service === 'string' && parseServiceCode(service) === undefined
      ? noSuchService(service, 'service')
      : undefined,
  ]
  return problems.filter((problem) => problem !== undefined)
}

export const invalidAfter = reason('{field} must be the next of an earlier page', {}, 'after')

function timeProblem(field: string, text: unknown): Reason | undefined {
  if (typeof text !== 'string' || readTime(text) !== undefined) return undefined
  return reason('{field} must be a day or a time, as {day} or {time}', examples, field)
}

const examples = { day: '2026-11-16', time: '2026-11-16T08:30:00Z' }

const dayMs = 86_400_000

/** The part of a list that a checked query asks for. */
export function readRange({ limit = '20', after, from, to }: RangeQuery): ListRange {
  // A day begins at midnight GMT, which is the local time of most of our countries.
  const end = to === undefined ? undefined : readTime(to)
  const isDay = to !== undefined && isWholeDay(to)
  return {
    limit: Number(limit),
    after: after ?? null,
    from: (from === undefined ? undefined : readTime(from)) ?? null,
    to: end === undefined ? null : new Date(end.getTime() + (isDay ? dayMs : 0)),
  }
}

/** `type` as a filter: payments through links are of a type of their own. */
export function readType(type: Static<typeof TransactionListQuery>['type']) {
  if (type === 'PAYMENT') return { operation: 'CASHOUT', links: 'only' } as const
  if (type === 'CASHOUT') return { operation: 'CASHOUT', links: 'none' } as const
  return { operation: type ?? null, links: 'paid' } as const
}

/** `links`: those behind the transactions, by the ids of these. */
export function writeTransactionList(
  { transactions, next }: TransactionPage,
  links: ReadonlyMap<string, Link>,
  tokenOf: (transaction: Transaction) => string | null,
  language: Language,
) {
  const written = transactions.map((one) => {
    const link = links.get(one.id)
    return link !== undefined && one.linkId !== null
      ? linkAsDetail(link, one, language)
      : transactionDetail(one, { token: tokenOf(one), link }, language)
  })
  return {
    message: 'Transactions fetched successfully',
    success: true,
    transactions: written,
    next,
  }
}

export function writeLinkList(
  { links, next }: LinkPage,
  urlOf: (link: { id: string }) => string,
  language: Language,
) {
  return {
    message: 'Payment links fetched successfully',
    success: true,
    links: links.map(({ link, payment }) => linkDetail(link, payment, urlOf(link), language)),
    next,
  }
}

import { lastId } from '#base/kit/ids.ts'
import type { PseudonymOf } from '#base/sealing/pseudonym.ts'
import type { Db } from '#data/db/db.ts'
import { writtenDigits } from '#merchants/catalog/phone-forms.ts'
import type { Viewer } from '#merchants/clients/scope.ts'
import { examinedMax, type ListRange } from '#money/transactions/list.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import type { Link } from './link.ts'
import {
  findNthFromEnd,
  findPayments,
  type LinkFilter,
  listLinks,
  type Place,
} from './list-store.ts'
import { findClientsLink } from './store.ts'

export interface LinkPage {
  /** Each with the payment that it is about now. */
  links: { link: Link; payment: Transaction | undefined }[]
  /** Where the next page begins; null: this is the last one. */
  next: string | null
}

/**
 * The filter that also finds numbers which are no longer kept, whichever way a merchant wrote
 * them.
 */
export function withPseudonyms(filter: LinkFilter, pseudonymOf: PseudonymOf): LinkFilter {
  const { phone, search } = filter
  const numbers = [...(phone === null ? [] : [phone]), ...(search?.phones ?? [])]
  return { ...filter, pseudonyms: numbers.flatMap(writtenDigits).map(pseudonymOf) }
}

const firstId = '00000000-0000-0000-0000-000000000000'
// As late as a four-digit year goes.
const endOfTime = new Date('9999-12-31')

/** A page of what a key sees, newest first; undefined: `after` is not the `next` of a page. */
export async function listLinkPage(
  db: Db,
  viewer: Viewer,
  filter: LinkFilter,
  { from, to, after, limit }: ListRange,
  examined = examinedMax,
): Promise<LinkPage | undefined> {
  const { clientId } = viewer
  const last = after === null ? null : await findClientsLink(db, clientId, { id: after })
  if (last === undefined) return undefined
  const end: Place = { createdAt: to ?? endOfTime, id: to === null ? lastId : firstId }
  const first: Place = { createdAt: from ?? new Date(0), id: firstId }
  const below = last !== null && last.createdAt < end.createdAt ? last : end
  const floor = await findNthFromEnd(db, clientId, { first, below }, examined)
  const range = { first: floor ?? first, below }
  const found = await listLinks(db, viewer, range, filter, limit + 1)
  const links = found.slice(0, limit)
  const payments = await findPayments(db, links)
  const next = found.length > limit ? links.at(-1)?.id : floor?.id
  return {
    links: links.map((link) => ({ link, payment: payments.get(link.id) })),
    next: next ?? null,
  }
}

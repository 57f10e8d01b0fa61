import type { Db } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import { Fragment } from '#data/db/statement.ts'
import { writtenDigits } from '#merchants/catalog/phone-forms.ts'
import { onlyKey, type Viewer } from '#merchants/clients/scope.ts'
import { transactionColumns } from '#money/transactions/store.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import type { Link } from './link.ts'
import { linkColumns } from './store.ts'

/** What the links of a list have in common; null: anything. */
export interface LinkFilter {
  status: Link['status'] | null
  subMerchantId: string | null
  externalIdPrefix: string | null
  /** Of the customer that it was made for, or of a payer. */
  phone: string | null
  /** What a person typed; left out: nothing. */
  search?: LinkSearch
  /** What stands for the number or the numbers where they are no longer kept. */
  pseudonyms?: string[]
}

/** Text of an item, a customer's name or the beginning of an external id, or one of the numbers. */
export interface LinkSearch {
  text: string
  phones: string[]
}

/** The place of a link in the order of a list. */
export interface Place {
  createdAt: Date
  id: string
}

/**
 * Links from `first` on and before `below`. Statements compare the time of the first one by itself
 * as well: PostgreSQL infers from that alone that their index, which has a condition, serves.
 */
export interface PlaceRange {
  first: Place
  below: Place
}

/** The place of the link that comes `count` places before the end of a range; undefined: none. */
export async function findNthFromEnd(
  db: Db,
  clientId: number,
  { first, below }: PlaceRange,
  count: number,
): Promise<Place | undefined> {
  const [row] = await db<Place>`
    select created_at as "createdAt", id from links
    where client_id = ${clientId}
      and (created_at, id) >= (${first.createdAt}, ${first.id})
      and created_at >= ${first.createdAt}
      and (created_at, id) < (${below.createdAt}, ${below.id})
    order by created_at desc, id desc
    offset ${count - 1} limit 1`
  return row
}

// Merchants write their customers' numbers as they like.
const digitsOfCustomer = new Fragment(
  String.raw`regexp_replace(customer_phone, '^(\+|00)|[^0-9]', '', 'g')`,
)

/** The last links of a range that pass a filter, newest first. */
export function listLinks(
  db: Db,
  viewer: Viewer,
  { first, below }: PlaceRange,
  { status, subMerchantId, externalIdPrefix, phone, search, pseudonyms = [] }: LinkFilter,
  limit: number,
): Promise<Link[]> {
  const text = search?.text.toLowerCase() ?? null
  const phones = search === undefined ? [] : [...search.phones, ...pseudonyms]
  const written = phone === null ? [] : writtenDigits(phone)
  const searched = search?.phones.flatMap(writtenDigits) ?? []
  return db<Link>`
    select ${linkColumns} from links l
    where client_id = ${viewer.clientId}
      and (created_at, id) >= (${first.createdAt}, ${first.id})
      and created_at >= ${first.createdAt}
      and (created_at, id) < (${below.createdAt}, ${below.id})
      and key_id = coalesce(${onlyKey(viewer)}, key_id)
      and status = coalesce(${status}, status)
      and (${subMerchantId}::text is null or sub_merchant_id = ${subMerchantId})
      and (${externalIdPrefix}::text is null or starts_with(external_id, ${externalIdPrefix}))
      and (${phone}::text is null or ${digitsOfCustomer} = any(${written}::text[])
        or customer_phone = any(${pseudonyms}::text[]) or exists (
        select from transactions t
        where (t.client_id, t.link_id) = (l.client_id, l.id)
          and (t.phone = ${phone} or t.phone = any(${pseudonyms}::text[]))))
      and (${text}::text is null or starts_with(lower(external_id), ${text})
        or position(${text} in lower(item_name)) > 0
        or position(${text} in lower(customer_name)) > 0
        or ${digitsOfCustomer} = any(${searched}::text[])
        or customer_phone = any(${pseudonyms}::text[])
        or (cardinality(${phones}::text[]) > 0 and exists (
          select from transactions t
          where (t.client_id, t.link_id) = (l.client_id, l.id)
            and t.phone = any(${phones}::text[]))))
    order by created_at desc, id desc
    limit ${limit}`
}

const linkRows = rowsOf({ clientId: 'integer', id: 'uuid', paymentId: 'uuid' })

/** The payments that links are about now, as `paymentOf` finds them, by the ids of the links. */
export async function findPayments(db: Db, links: Link[]): Promise<Map<string, Transaction>> {
  const wanted = links.map(({ clientId, id, openId, paidId }) => ({
    clientId,
    id,
    paymentId: openId ?? paidId,
  }))
  const found = await db<Transaction>`
    select ${transactionColumns} from transactions
    where (client_id, id) in (
      select l."clientId", coalesce(l."paymentId", (
        select t.id from transactions t
        where (t.client_id, t.link_id) = (l."clientId", l.id) and t.operation = 'CASHOUT'
        order by t.created_at desc, t.id desc
        limit 1))
      from ${linkRows(wanted)} as l
    )`
  return new Map(found.map((payment) => [payment.linkId ?? '', payment]))
}

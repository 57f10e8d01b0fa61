import type { Db, Tx } from '#data/db/db.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import type { Link } from './link.ts'
import { findLinks, readLinkIds } from './store.ts'

/**
 * The links behind records, by the ids of these: of a payment the link it was begun on, of a refund
 * that of the payment whose money it sends back. Merchants are told of links, not of the payments
 * through them.
 */
export async function linksBehind(
  run: Db | Tx,
  records: Pick<Transaction, 'clientId' | 'id' | 'linkId' | 'originalId'>[],
): Promise<Map<string, Link>> {
  const refunds = records.flatMap(({ clientId, originalId: id }) =>
    id === null ? [] : [{ clientId, id }],
  )
  const linkIds = refunds.length === 0 ? undefined : await readLinkIds(run, refunds)
  const wanted = records.flatMap(({ clientId, id, originalId, linkId }) => {
    const behind = originalId === null ? linkId : linkIds?.get(originalId)
    return typeof behind === 'string' ? [{ clientId, record: id, id: behind }] : []
  })
  if (wanted.length === 0) return new Map()
  const links = new Map((await findLinks(run, wanted)).map((link) => [link.id, link]))
  return new Map(
    wanted.flatMap(({ record, id }) => {
      const link = links.get(id)
      return link === undefined ? [] : [[record, link] as const]
    }),
  )
}

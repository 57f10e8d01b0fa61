import { batched } from '#data/db/batch.ts'
import type { Viewer } from '#merchants/clients/scope.ts'
import type { ListRange } from '#money/transactions/list.ts'
import { linksBehind } from './behind.ts'
import type { LinkContext } from './context.ts'
import { confirmationOf, draftLink, type LinkDraft, type LinkOrder, recordLinks } from './create.ts'
import { startLinkSweeper, withdrawLink } from './end.ts'
import { findOwnLink, findRecord, paymentOf } from './find.ts'
import { type Link, linkUrl, shortLinkUrl } from './link.ts'
import { listLinkPage, withPseudonyms } from './list.ts'
import type { LinkFilter } from './list-store.ts'
import { openCheckout } from './open-checkout.ts'
import { findClientsLink, findLink, readMarks, readTries } from './store.ts'

/** A recorded link; `duplicate`: its external id is used already. */
export type LinkCreated = { kind: 'created'; link: Link } | { kind: 'duplicate' }

/** Everything that can be done with payment links. */
export type Links = ReturnType<typeof openLinks>

/** Opens the room; concurrent creations share one database transaction. */
export function openLinks(context: LinkContext) {
  const { db, clock, clients, hasSmtp, pseudonymOf } = context
  const record = batched(
    (drafts: LinkDraft[]) =>
      db.groupTransaction(drafts.map(clientOf), (tx) => recordLinks(tx, drafts, clock.now())),
    { name: 'links', ownerOf: clientOf },
  )
  const urlOf = ({ id }: { id: string }) => linkUrl(context.payUrl(), id)
  return {
    /** For the files and the tests of this room only. */
    context,

    /** Records a link and queues the mail that confirms it to its merchant. */
    async create(order: LinkOrder): Promise<LinkCreated> {
      await clients.refuseInactive(order.clientId, null)
      const link = draftLink(order, clock.now())
      const contract = await clients.contractOf(link.clientId)
      const mail = confirmationOf(link, contract, urlOf(link))
      const isNew = await record({ link, mail, hasSmtp, making: order.making })
      return isNew ? { kind: 'created', link } : { kind: 'duplicate' }
    },
    /** The address of a link's page. */
    urlOf,
    /** The same to send to people. */
    shortUrlOf: ({ id }: { id: string }) => shortLinkUrl(context.payUrl(), id),
    find: (caller: Viewer, wanted: string) => findOwnLink(db, caller, wanted),
    findById: ({ clientId, id }: { clientId: number; id: string }) =>
      findClientsLink(db, clientId, { id }),
    /** Of whichever client, for operators. */
    findOfAll: (id: string) => findLink(db, id),
    /** The caller's transaction or link of an id. */
    findRecord: (caller: Viewer, wanted: string | { externalId: string }) =>
      findRecord(db, caller, wanted),
    /** The links behind payments and refunds, by the ids of these. */
    behind: (records: Parameters<typeof linksBehind>[1]) => linksBehind(db, records),
    /** A page of a client's links; undefined: `after` is not the `next` of a page. */
    list: (caller: Viewer, filter: LinkFilter, range: ListRange) =>
      listLinkPage(db, caller, withPseudonyms(filter, pseudonymOf), range),
    /** The payment that a link is about now: under way, successful, or the last one. */
    paymentOf: (link: Link) => paymentOf(db, link),
    /** The payments that were begun on a link, newest first. */
    triesOf: (link: Link) => readTries(db, link),
    /** What differs whenever links have changed, by the keys `17 ID`. */
    marks: (keys: string[]) => readMarks(db, keys),
    /** Ends a link before its time; false: it had ended before. */
    withdraw: (id: { clientId: number; id: string }) => withdrawLink(context, id),
    /** What the payer's page works with. */
    checkout: openCheckout(context),

    startSweeper: () => startLinkSweeper(context),
  }
}

function clientOf({ link }: LinkDraft): number {
  return link.clientId
}

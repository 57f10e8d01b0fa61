import { after } from '#base/kit/clock.ts'
import type { Tx } from '#data/db/db.ts'
import { type Making, whileHeld } from '#data/db/making.ts'
import type { Contract } from '#merchants/clients/contract.ts'
import { type Mail, queueMail } from '#merchants/mail/queue.ts'
import { claimExternalIds } from '#money/transactions/store.ts'
import { confirmationMail } from './confirmation-mail.ts'
import { type Link, newLinkId } from './link.ts'
import { insertLinks, lockLinks } from './store.ts'

/** A merchant's order to create a link. */
export interface LinkOrder
  extends Omit<
    Link,
    | 'id'
    | 'status'
    | 'attempts'
    | 'openId'
    | 'paidId'
    | 'createdAt'
    | 'expiresAt'
    | 'completedAt'
    | 'dueAt'
  > {
  lifetimeMs: number
  /** Of a request that may be repeated: its one record. */
  making?: Making | undefined
}

/** The link that an order becomes when it is recorded. */
export function draftLink({ lifetimeMs, making, ...order }: LinkOrder, now: Date): Link {
  const expiresAt = after(now, lifetimeMs)
  return {
    ...order,
    id: making?.id ?? newLinkId(),
    status: 'PENDING',
    attempts: 0,
    openId: null,
    paidId: null,
    createdAt: now,
    expiresAt,
    completedAt: null,
    dueAt: expiresAt,
  }
}

/** A link to record, and the mail that confirms it; null: its merchant has no mail address. */
export interface LinkDraft {
  link: Link
  mail: Mail | null
  hasSmtp: boolean
  making?: Making | undefined
}

/** The mail that confirms a new link to its merchant; null: the merchant has no mail address. */
export function confirmationOf(
  link: Link,
  { email, language }: Pick<Contract, 'email' | 'language'>,
  paymentUrl: string,
): Mail | null {
  if (email === null) return null
  const { clientId, id: recordId, payeeName: shop, itemName: item } = link
  const written = confirmationMail({ ...link, language, shop, item, paymentUrl })
  return { clientId, recordId, kind: 'link_created', to: email, language, ...written }
}

/** Records links and the mails about them; false for each whose external id is used already. */
export function recordLinks(tx: Tx, drafts: LinkDraft[], now: Date): Promise<boolean[]> {
  const makings = drafts.map(({ making }) => making)
  return whileHeld(tx, makings, () => insertDrafts(tx, drafts, now))
}

async function insertDrafts(tx: Tx, drafts: LinkDraft[], now: Date): Promise<boolean[]> {
  const links = drafts.map(({ link }) => link)
  const claimed = await claimExternalIds(tx, links, 'link')
  const fresh = drafts.filter(({ link }) => claimed.has(link.id))
  if (fresh.length > 0)
    await insertLinks(
      tx,
      fresh.map(({ link }) => link),
    )
  for (const { mail, hasSmtp } of fresh) if (mail !== null) await queueMail(tx, mail, now, hasSmtp)
  // A group whose commit was lost is run again, and finds its own records.
  const found = fresh.length === links.length ? [] : await lockLinks(tx, links)
  const recordedBefore = new Set(found.map(({ id }) => id))
  return links.map(({ id }) => claimed.has(id) || recordedBefore.has(id))
}

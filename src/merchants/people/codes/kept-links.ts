import { isUuid } from '#base/kit/ids.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { DbParts } from '#data/db/db.ts'
import { noClient } from '#merchants/mail/states.ts'
import { eraseKeptMail, type MailRow } from '#merchants/mail/store.ts'
import { findCodeById } from './store.ts'

/** The link of a mail, or why it is not given: it is no longer valid, or it is an operator's. */
export type KeptLink = { link: string } | 'over' | 'of an operator'

export interface KeptLinkOrder {
  mail: Pick<MailRow, 'clientId' | 'id' | 'recordId'>
  actor: string
}

/**
 * Gives the link of a mail about an account that could not leave, and erases it: once. Not of those
 * who operate the gateway: what needs two people would need one.
 */
export function takeKeptLink(
  { db, clock }: DbParts,
  { mail, actor }: KeptLinkOrder,
): Promise<KeptLink> {
  return db.transaction(async (tx) => {
    const at = clock.now()
    const code = isUuid(mail.recordId) ? await findCodeById(tx, mail.recordId, at) : undefined
    if (mail.clientId !== noClient || code === undefined) return 'over'
    if (code.isOfOperator) return 'of an operator'
    const text = await eraseKeptMail(tx, mail)
    const [link] = /https?:\/\/\S+\/dashboard\/(join|reset)\/\S+/.exec(text ?? '') ?? []
    if (link === undefined) return 'over'
    const details = { id: mail.id, email: code.email }
    await recordAudit(tx, { at, actor, action: 'mail.link', details })
    return { link }
  })
}

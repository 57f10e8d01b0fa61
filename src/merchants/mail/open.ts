import type { DbParts } from '#data/db/db.ts'
import { type ResendOrder, resendMail } from './queue.ts'
import { findMail, findMailOfClient, readMails, readMailsOfClient } from './store.ts'

/** What people do with the mails that were queued. */
export type Mails = ReturnType<typeof openMails>

/** Opens the room. */
export function openMails(parts: DbParts) {
  const { db } = parts
  return {
    /** Newest first. */
    list: (range: Parameters<typeof readMails>[1]) => readMails(db, range),
    find: (id: string) => findMail(db, id),
    /** Those about a client's records, newest first. */
    listOf: (range: Parameters<typeof readMailsOfClient>[1]) => readMailsOfClient(db, range),
    findOf: (clientId: number, id: string) => findMailOfClient(db, clientId, id),
    /** Queues a mail again; false: it is neither `kept` nor `failed`. */
    resend: (order: ResendOrder) => resendMail(parts, order),
  }
}

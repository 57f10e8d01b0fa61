import { after } from '#base/kit/clock.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { queueMail } from '#merchants/mail/queue.ts'
import { codeOver, hashOfCode, newCode } from '../codes/codes.ts'
import { passwordMail } from '../codes/mails.ts'
import { deletePasswordCodes, findCode, insertCode, takeCode } from '../codes/store.ts'
import type { PeopleContext } from '../context.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import { findPerson, findPersonByEmail, type Person, updatePassword } from '../store.ts'
import { hashPassword } from './passwords.ts'
import { refuseWeak } from './strength.ts'

const hourMs = 3_600_000
// Mails in an hour: a stranger can make us send so many, and no more.
const mailsPerPerson = 3
const mailsPerNetwork = 20

/** Whose password is forgotten, and where they say so. */
interface Forgotten {
  email: string
  address: string
  network: string
}

/** How a person gets a new password without the old one. */
export function openPasswordChoice(context: PeopleContext) {
  const { db, clock, log, tries, hasSmtp, publicUrl } = context

  async function sendCode({ email, network, address }: Forgotten): Promise<void> {
    const taken = await tries.take(
      [
        [['forgotten', email.toLowerCase()], mailsPerPerson],
        [['forgotten', 'network', network], mailsPerNetwork],
      ],
      hourMs,
    )
    const person = await findPersonByEmail(db, email)
    if (taken === undefined || person === undefined) return
    const now = clock.now()
    await db.transaction(async (tx) => {
      // A link that somebody must hand over takes longer than a mail.
      const validMs = hasSmtp ? hourMs : 24 * hourMs
      const { code, expiresAt, id } = await addPasswordCode(tx, person, now, validMs)
      const url = `${publicUrl()}/dashboard/reset/${code}`
      const letter = { ...person, to: person.email, url, expiresAt, recordId: id }
      const mail = passwordMail({ ...letter, from: address })
      await queueMail(tx, mail, now, hasSmtp)
    })
  }

  /** Sets the password of a code's person. The code is used up and every session ends. */
  async function choose({ code, password }: { code: string; password: string }): Promise<Person> {
    const known = await personOf(code)
    if (known === undefined) throw codeOver()
    refuseWeak(password, known.email)
    // Outside the transaction: hashing takes a while.
    const hash = await hashPassword(password)
    return db.transaction(async (tx) => {
      const taken = await takeCode(tx, hashOfCode(code), clock.now())
      if (taken?.personId !== known.id) throw codeOver()
      await replacePassword(tx, { person: known, hash, at: clock.now(), keptSession: null })
      // With the new one: what proves the first step until the second is bound to it.
      return { ...known, passwordHash: hash }
    })
  }

  /** The person of a code, to be shown; undefined: it is not valid, or no longer. */
  async function personOf(code: string): Promise<Person | undefined> {
    const found = await findCode(db, hashOfCode(code), clock.now())
    const personId = found?.personId ?? null
    return personId === null ? undefined : findPerson(db, personId)
  }

  return {
    /**
     * Sends a mail if somebody has this address. Returns before it is known whether anybody has:
     * neither the answer nor the time it takes tells.
     */
    forget: (order: Forgotten): void => {
      sendCode(order).catch((problem: unknown) =>
        log.error({ err: problem }, 'an email for a new password could not be queued'),
      )
    },
    personOf,
    choose,
  }
}

/** Makes a code with which a person chooses a password. */
export async function addPasswordCode(
  tx: Tx,
  { id: personId, email }: Person,
  now: Date,
  validMs: number,
): Promise<{ code: string; id: string; expiresAt: Date }> {
  const expiresAt = after(now, validMs)
  const times = { createdAt: now, expiresAt }
  const { code, row } = newCode({ kind: 'password', email, personId }, times)
  await insertCode(tx, row)
  return { code, id: row.id, expiresAt }
}

/** Stores a new password; ends every other way in: sessions, except one, and codes. */
export async function replacePassword(
  tx: Tx,
  order: { person: Person; hash: string; at: Date; keptSession: string | null },
): Promise<void> {
  const { person, hash, at, keptSession } = order
  const { id, email } = person
  await updatePassword(tx, id, hash)
  await deleteSessionsOf(tx, { personId: id, except: keptSession })
  await deletePasswordCodes(tx, id)
  const details = { email }
  await recordAudit(tx, { at, actor: email, action: 'person.password', details })
}

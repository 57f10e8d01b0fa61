import type { Language } from '#base/kit/language.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { Tx } from '#data/db/db.ts'
import { writeLetter } from '#merchants/mail/letter.ts'
import { type Mail, queueMail } from '#merchants/mail/queue.ts'
import { noClient } from '#merchants/mail/states.ts'
import type { Person } from '../store.ts'

/** A person who may be told, and whether they can sign in yet. */
type Reader = Pick<Person, 'email' | 'name' | 'language'> & { hasJoined: boolean }

/** Something that one person has proposed and another has to decide on. */
interface Waiting {
  recordId: string
  proposedBy: string
  /** Of its page, which asks to sign in and for the same right. */
  url: string
  about: Record<Language, { subject: string; rows: [label: string, value: string][] }>
}

/**
 * Tells those who may approve, but for the proposer, that something waits for them: a mail each, in
 * their language. It belongs to no client: roles that do not see the proposal do not see it.
 */
export async function tellApprovers(
  tx: Tx,
  approvers: Reader[],
  waiting: Waiting,
  { now, hasSmtp }: { now: Date; hasSmtp: boolean },
): Promise<void> {
  const proposer = waiting.proposedBy.toLowerCase()
  for (const one of approvers)
    if (one.hasJoined && one.email.toLowerCase() !== proposer)
      await queueMail(tx, waitingMail(one, waiting), now, hasSmtp)
}

const words = inBoth({
  fr: {
    hello: (name: string) => `Bonjour ${name},`,
    opening: fr`Une opération attend une deuxième personne : approuvez-la ou refusez-la.`,
    by: 'Proposé par',
    button: 'Examiner et décider',
    copy: fr`Ou ouvrez cette adresse :`,
    reason: fr`Vous devrez vous connecter. Vous recevez cet e-mail car votre rôle permet
      d'approuver.`,
  },
  en: {
    hello: (name: string) => `Hello ${name},`,
    opening: 'An operation is waiting for a second person: approve it or refuse it.',
    by: 'Proposed by',
    button: 'Review and decide',
    copy: 'Or open this address:',
    reason: 'You will have to sign in. You are receiving this email because your role can approve.',
  },
})

const nameMax = 80

function waitingMail(reader: Reader, { about, url, recordId, proposedBy }: Waiting): Mail {
  const { language, email: to } = reader
  const { hello, by, ...texts } = words[language]
  const { subject, rows } = about[language]
  const letter = writeLetter({
    language,
    greeting: hello(oneLine(reader.name, nameMax)),
    rows: [...rows, [by, proposedBy]],
    url,
    ...texts,
  })
  return {
    clientId: noClient,
    kind: 'approval_waiting',
    recordId,
    to,
    language,
    subject,
    ...letter,
  }
}

import { formatDateTime } from '../kit/dates.ts'
import type { Language } from '../kit/language.ts'
import { oneLine } from '../kit/one-line.ts'
import { writeLetter } from '../mail/letter.ts'
import type { Mail } from '../mail/queue.ts'
import { noClient } from '../mail/store.ts'
import type { Role } from './rights.ts'

/*
 * The mails about accounts. They belong to no client, so that nobody reads in a client's dashboard
 * what gives access to a person's account; and the queue erases their texts once they are sent.
 */

const nameMax = 80

/** The names of roles, as people read them. */
export const roleNames: Record<Language, Record<Role, string>> = {
  fr: {
    owner: 'propriétaire',
    admin: 'administrateur',
    finance: 'finances',
    developer: 'développeur',
    support: 'assistance',
    viewer: 'lecture seule',
  },
  en: {
    owner: 'owner',
    admin: 'administrator',
    finance: 'finance',
    developer: 'developer',
    support: 'support',
    viewer: 'viewer',
  },
}

interface Invited {
  to: string
  language: Language
  clientName: string
  /** Name and mail address of who invites. */
  invitedBy: string
  role: Role
  url: string
  expiresAt: Date
  recordId: string
}

/** Invites a person to a client. */
export function invitationMail(one: Invited): Mail {
  const isFrench = one.language === 'fr'
  const client = oneLine(one.clientName, nameMax)
  const subject = isFrench
    ? `Invitation à rejoindre ${client} sur Passerelle`
    : `Invitation to join ${client} on Passerelle`
  const letter = writeLetter({
    language: one.language,
    greeting: isFrench ? 'Bonjour,' : 'Hello,',
    opening: isFrench
      ? `${client} vous invite à utiliser son tableau de bord.`
      : `${client} invites you to use its dashboard.`,
    rows: isFrench
      ? [
          ['Invité par', one.invitedBy],
          ['Votre rôle', roleNames.fr[one.role]],
          ['Valable jusqu’au', formatDateTime(one.expiresAt, 'fr')],
        ]
      : [
          ['Invited by', one.invitedBy],
          ['Your role', roleNames.en[one.role]],
          ['Valid until', formatDateTime(one.expiresAt, 'en')],
        ],
    url: one.url,
    button: isFrench ? 'Accepter l’invitation' : 'Accept the invitation',
    copy: isFrench ? 'Ou ouvrez cette adresse\u00a0:' : 'Or open this address:',
    reason: isFrench
      ? 'Si vous ne connaissez pas cette entreprise, ignorez ce message\u00a0: rien ne se passe.'
      : 'If you do not know this business, ignore this message: nothing happens.',
  })
  return mailOf(one, 'invitation', subject, letter)
}

interface Forgotten {
  to: string
  name: string
  language: Language
  url: string
  expiresAt: Date
  /** The address that asked for it. */
  from: string
  recordId: string
}

/** Lets a person choose a new password. */
export function passwordMail(one: Forgotten): Mail {
  const isFrench = one.language === 'fr'
  const name = oneLine(one.name, nameMax)
  const subject = isFrench ? 'Choisir un nouveau mot de passe' : 'Choose a new password'
  const letter = writeLetter({
    language: one.language,
    greeting: isFrench ? `Bonjour ${name},` : `Hello ${name},`,
    opening: isFrench
      ? 'Vous pouvez choisir un nouveau mot de passe. Vous serez déconnecté partout.'
      : 'You can choose a new password. You will be signed out everywhere.',
    rows: isFrench
      ? [
          ['Valable jusqu’au', formatDateTime(one.expiresAt, 'fr')],
          ['Demandé depuis l’adresse', one.from],
        ]
      : [
          ['Valid until', formatDateTime(one.expiresAt, 'en')],
          ['Asked for from the address', one.from],
        ],
    url: one.url,
    button: isFrench ? 'Choisir un mot de passe' : 'Choose a password',
    copy: isFrench ? 'Ou ouvrez cette adresse\u00a0:' : 'Or open this address:',
    reason: isFrench
      ? 'Si vous n’avez rien demandé, ignorez ce message\u00a0: votre mot de passe reste le même.'
      : 'If you did not ask for this, ignore this message: your password stays as it is.',
  })
  return mailOf(one, 'password', subject, letter)
}

function mailOf(
  { to, language, recordId }: Pick<Mail, 'to' | 'language' | 'recordId'>,
  kind: string,
  subject: string,
  letter: { text: string; html: string },
): Mail {
  return { clientId: noClient, kind, recordId, to, language, subject, ...letter }
}

import { formatDateTime } from '#base/kit/dates.ts'
import type { Language } from '#base/kit/language.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { writeLetter } from '#merchants/mail/letter.ts'
import type { Mail } from '#merchants/mail/queue.ts'
import { noClient } from '#merchants/mail/store.ts'
import { type AnyRole, roleNames } from '../rights.ts'

/*
 * The mails about accounts. They belong to no client, so that nobody reads in a client's dashboard
 * what gives access to a person's account; and the queue erases their texts once they are sent.
 */

const nameMax = 80

interface Invited {
  to: string
  language: Language
  /** Null: an invitation to operate the gateway. */
  clientName: string | null
  /** Name and mail address of who invites. */
  invitedBy: string
  role: AnyRole
  url: string
  expiresAt: Date
  recordId: string
}

/** Invites a person to a client, or to operate the gateway. */
export function invitationMail(one: Invited): Mail {
  const isFrench = one.language === 'fr'
  const { subject, opening } = invitationTo(one)
  const letter = writeLetter({
    language: one.language,
    greeting: isFrench ? 'Bonjour,' : 'Hello,',
    opening,
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

function invitationTo({ clientName, language }: Invited): { subject: string; opening: string } {
  if (clientName === null)
    return language === 'fr'
      ? {
          subject: 'Invitation à exploiter Passerelle',
          opening: 'Vous êtes invité à rejoindre les opérateurs de la passerelle de paiement.',
        }
      : {
          subject: 'Invitation to operate Passerelle',
          opening: 'You are invited to join the operators of the payment gateway.',
        }
  const client = oneLine(clientName, nameMax)
  return language === 'fr'
    ? {
        subject: `Invitation à rejoindre ${client} sur Passerelle`,
        opening: `${client} vous invite à utiliser son tableau de bord.`,
      }
    : {
        subject: `Invitation to join ${client} on Passerelle`,
        opening: `${client} invites you to use its dashboard.`,
      }
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

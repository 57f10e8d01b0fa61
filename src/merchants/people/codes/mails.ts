import { formatDateTime } from '#base/kit/dates.ts'
import type { Language } from '#base/kit/language.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { writeLetter } from '#merchants/mail/letter.ts'
import type { Mail } from '#merchants/mail/queue.ts'
import { noClient } from '#merchants/mail/states.ts'
import { type AnyRole, roleNames } from '../rights.ts'

/*
 * The mails about accounts. They belong to no client, so that nobody reads in a client's dashboard
 * what gives access to a person's account; and the queue erases their texts once they are sent.
 */

const words = inBoth({
  fr: {
    hello: 'Bonjour,',
    helloTo: (name: string) => `Bonjour ${name},`,
    copy: fr`Ou ouvrez cette adresse :`,
    until: fr`Valable jusqu'au`,
    join: {
      subject: (client: string) => `Invitation à rejoindre ${client} sur Passerelle`,
      opening: (client: string) => `${client} vous invite à utiliser son tableau de bord.`,
      by: 'Invité par',
      role: 'Votre rôle',
      button: fr`Accepter l'invitation`,
      reason: fr`Si vous ne connaissez pas cette entreprise, ignorez ce message : rien ne se
        passe.`,
    },
    operate: {
      subject: 'Invitation à exploiter Passerelle',
      opening: 'Vous êtes invité à rejoindre les opérateurs de la passerelle de paiement.',
    },
    password: {
      subject: 'Choisir un nouveau mot de passe',
      opening: 'Vous pouvez choisir un nouveau mot de passe. Vous serez déconnecté partout.',
      from: fr`Demandé depuis l'adresse IP`,
      button: 'Choisir un mot de passe',
      reason: fr`Si vous n'avez rien demandé, ignorez ce message : votre mot de passe reste le
        même.`,
    },
  },
  en: {
    hello: 'Hello,',
    helloTo: (name: string) => `Hello ${name},`,
    copy: 'Or open this address:',
    until: 'Valid until',
    join: {
      subject: (client: string) => `Invitation to join ${client} on Passerelle`,
      opening: (client: string) => `${client} invites you to use its dashboard.`,
      by: 'Invited by',
      role: 'Your role',
      button: 'Accept the invitation',
      reason: 'If you do not know this business, ignore this message: nothing happens.',
    },
    operate: {
      subject: 'Invitation to operate Passerelle',
      opening: 'You are invited to join the operators of the payment gateway.',
    },
    password: {
      subject: 'Choose a new password',
      opening: 'You can choose a new password. You will be signed out everywhere.',
      from: 'Requested from the IP address',
      button: 'Choose a password',
      reason: 'If you did not ask for this, ignore this message: your password stays as it is.',
    },
  },
})

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
  const { language, clientName, invitedBy, role, url, expiresAt } = one
  const { hello, copy, until, join, operate } = words[language]
  const client = oneLine(clientName ?? '', nameMax)
  const letter = writeLetter({
    language,
    greeting: hello,
    opening: clientName === null ? operate.opening : join.opening(client),
    rows: [
      [join.by, invitedBy],
      [join.role, roleNames[language][role]],
      [until, formatDateTime(expiresAt, language)],
    ],
    url,
    button: join.button,
    copy,
    reason: join.reason,
  })
  const subject = clientName === null ? operate.subject : join.subject(client)
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
  const { language, name, url, expiresAt, from } = one
  const { helloTo, copy, until, password } = words[language]
  const letter = writeLetter({
    language,
    greeting: helloTo(oneLine(name, nameMax)),
    opening: password.opening,
    rows: [
      [until, formatDateTime(expiresAt, language)],
      [password.from, from],
    ],
    url,
    button: password.button,
    copy,
    reason: password.reason,
  })
  return mailOf(one, 'password', password.subject, letter)
}

function mailOf(
  { to, language, recordId }: Pick<Mail, 'to' | 'language' | 'recordId'>,
  kind: string,
  subject: string,
  letter: { text: string; html: string },
): Mail {
  return { clientId: noClient, kind, recordId, to, language, subject, ...letter }
}

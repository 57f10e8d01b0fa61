import { type Html, html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { MailState } from '#merchants/mail/states.ts'
import type { MailRow } from '#merchants/mail/store.ts'
import { type Badge, facts, label, moment } from './components.ts'
import { noteIn } from './technical-words.ts'
import type { AnyVisit } from './visit.ts'

const words = inBoth({
  fr: {
    to: fr`À`,
    made: fr`Créé`,
    sent: fr`Envoyé`,
    tries: 'Tentatives',
    next: 'Prochaine tentative',
    problem: fr`Problème`,
  },
  en: {
    to: 'To',
    made: 'Created',
    sent: 'Sent',
    tries: 'Attempts',
    next: 'Next attempt',
    problem: 'Problem',
  },
})

/** The states of mails in words. */
export const mailStateWords = inBoth<Record<MailState, string>>({
  fr: { kept: fr`Gardé`, pending: 'En attente', sent: fr`Envoyé`, failed: fr`Échoué` },
  en: { kept: 'Kept', pending: 'Waiting', sent: 'Sent', failed: 'Failed' },
})

/** What sending a mail again came to. */
export const resendWords = inBoth({
  fr: {
    done: fr`L'e-mail part de nouveau. Son état est ci-dessous.`,
    already: fr`Cet e-mail est déjà en route ou envoyé.`,
    noServer: fr`Il n'y a pas de serveur d'e-mail : rien ne peut partir.`,
  },
  en: {
    done: 'The email is being sent again. Its state is below.',
    already: 'This email is on its way or already sent.',
    noServer: 'There is no mail server: nothing can be sent.',
  },
})

const shapes: Record<MailState, Badge> = {
  kept: ['quiet', 'dash'],
  pending: ['calm', 'clock'],
  sent: ['good', 'check'],
  failed: ['bad', 'cross'],
}

/** The state of a mail as a word with a shape. */
export function mailState({ language }: Pick<AnyVisit, 'language'>, state: MailState): Html {
  return label(shapes[state], mailStateWords[language][state])
}

/** Why a mail was not taken: our words in the language, those of its server as they are. */
export function mailProblem({ language }: AnyVisit, problem: MailRow['problem']): Piece {
  return problem !== null && html`<bdi>${noteIn(language, problem)}</bdi>`
}

/** What is known of a mail beside its text. */
export function mailFacts(visit: AnyVisit, mail: MailRow): Html {
  const say = words[visit.language]
  return facts([
    [say.to, html`<bdi>${mail.recipient}</bdi>`],
    [say.made, moment(visit, mail.createdAt)],
    [say.sent, mail.sentAt && moment(visit, mail.sentAt)],
    [say.tries, mail.tries],
    [say.next, mail.dueAt && moment(visit, mail.dueAt)],
    [say.problem, mailProblem(visit, mail.problem)],
  ])
}

/** Whether a mail can be sent again: it was kept, or given up. */
export function isStuck({ state, textBody }: Pick<MailRow, 'state' | 'textBody'>): boolean {
  return (state === 'kept' || state === 'failed') && textBody !== ''
}

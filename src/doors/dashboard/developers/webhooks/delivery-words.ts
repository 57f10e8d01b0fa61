import type { DeliverySummary } from '#backoffice/webhooks/operate-store.ts'
import type { Html, Piece } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { type Badge, label } from '#doors/dashboard/frame/components.ts'
import { noteIn } from '#doors/dashboard/frame/technical-words.ts'
import type { AnyVisit } from '#doors/dashboard/frame/visit.ts'
import type { Message } from '#merchants/people/sessions/sessions.ts'

/** What lists and details of deliveries say. */
export const deliveryWords = inBoth({
  fr: {
    when: 'Date',
    event: fr`Événement`,
    reference: fr`Votre référence`,
    amount: 'Montant',
    address: 'Adresse',
    state: fr`État`,
    tries: 'Tentatives',
    answer: fr`Dernière réponse`,
    next: 'Prochaine tentative',
    noAnswer: 'Pas de réponse',
    states: {
      pending: 'En attente',
      delivered: fr`Livré`,
      exhausted: fr`Abandonné`,
      stopped: fr`Refusé (410)`,
    },
    again: fr`Renvoyer`,
    none: fr`Rien n'a été envoyé : ces événements n'ont pas d'adresse.`,
    done: (sent: number, delivered: number, failed: number, waiting: number) =>
      fr`Renvoyés : ${sent}. Livrés : ${delivered}. Échoués : ${failed}. Encore en cours :
        ${waiting}.`,
  },
  en: {
    when: 'Date',
    event: 'Event',
    reference: 'Your reference',
    amount: 'Amount',
    address: 'Address',
    state: 'State',
    tries: 'Attempts',
    answer: 'Last answer',
    next: 'Next attempt',
    noAnswer: 'No answer',
    states: {
      pending: 'Waiting',
      delivered: 'Delivered',
      exhausted: 'Given up',
      stopped: 'Refused (410)',
    },
    again: 'Resend',
    none: 'Nothing was sent: these events have no address.',
    done: (sent: number, delivered: number, failed: number, waiting: number) =>
      `Resent: ${sent}. Delivered: ${delivered}. Failed: ${failed}. Still in progress: ${waiting}.`,
  },
})

const shapes: Record<string, Badge> = {
  delivered: ['good', 'check'],
  pending: ['calm', 'clock'],
}

function stateWord(language: Language, state: string): string {
  const states: Record<string, string> = deliveryWords[language].states
  return states[state] ?? state
}

export function deliveryState({ language }: AnyVisit, state: string): Html {
  return label(shapes[state] ?? ['bad', 'cross'], stateWord(language, state))
}

/** The status of the last answer, or why there was none; empty before the first try. */
export function lastAnswer({ language }: AnyVisit, one: DeliverySummary): Piece {
  if (one.lastStatus !== null) return `HTTP ${one.lastStatus}`
  if (one.tries === 0) return ''
  return noteIn(language, one.lastProblem ?? '') || deliveryWords[language].noAnswer
}

/** What became of deliveries that were just made, in numbers; bad: not all arrive. */
export function outcomeOf({ language }: AnyVisit, deliveries: DeliverySummary[]): Outcome {
  const { done, none } = deliveryWords[language]
  if (deliveries.length === 0) return { text: none, tone: 'bad' }
  const delivered = deliveries.filter(({ state }) => state === 'delivered').length
  const waiting = deliveries.filter(({ tries }) => tries === 0).length
  const failed = deliveries.length - delivered - waiting
  const text = done(deliveries.length, delivered, failed, waiting)
  return failed === 0 ? { text } : { text, tone: 'bad' }
}

/** What a page tells. */
export type Outcome = Pick<Message, 'text' | 'tone'>

/** How long a page waits for the answers to what it has sent. */
export const outcomeWaitMs = 5000

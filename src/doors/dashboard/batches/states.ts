import type { BatchState, LineState } from '#backoffice/batches/transitions.ts'
import type { Html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { type Badge, label } from '../frame/components.ts'

const words = inBoth<Record<BatchState, string>>({
  fr: {
    draft: 'Brouillon',
    proposed: fr`À approuver`,
    approved: fr`Approuvé`,
    running: 'En cours',
    paused: 'En pause',
    finished: fr`Terminé`,
    refused: fr`Refusé`,
    cancelled: fr`Annulé`,
  },
  en: {
    draft: 'Draft',
    proposed: 'To be approved',
    approved: 'Approved',
    running: 'Running',
    paused: 'Paused',
    finished: 'Finished',
    refused: 'Refused',
    cancelled: 'Cancelled',
  },
})

const shapes: Record<BatchState, Badge> = {
  draft: ['quiet', 'dash'],
  proposed: ['calm', 'clock'],
  approved: ['good', 'clock'],
  running: ['calm', 'play'],
  paused: ['calm', 'pause'],
  finished: ['good', 'check'],
  refused: ['bad', 'cross'],
  cancelled: ['quiet', 'dash'],
}

/** The state of a batch as a word with a shape. */
export function batchState(language: Language, state: BatchState): Html {
  return label(shapes[state], words[language][state])
}

export function batchStateWord(language: Language, state: string): string {
  return words[language][state as BatchState] ?? state
}

const lineWords = inBoth<Record<LineState, string>>({
  fr: {
    faulty: fr`À corriger`,
    waiting: 'En attente',
    sending: 'Envoi',
    sent: 'En cours',
    paid: fr`Payé`,
    failed: fr`Échoué`,
    refused: fr`Refusé`,
  },
  en: {
    faulty: 'To correct',
    waiting: 'Waiting',
    sending: 'Sending',
    sent: 'In progress',
    paid: 'Paid',
    failed: 'Failed',
    refused: 'Refused',
  },
})

const lineShapes: Record<LineState, Badge> = {
  faulty: ['bad', 'exclamation'],
  waiting: ['quiet', 'dash'],
  sending: ['calm', 'clock'],
  sent: ['calm', 'clock'],
  paid: ['good', 'check'],
  failed: ['bad', 'cross'],
  refused: ['bad', 'cross'],
}

/** The state of a line of a batch as a word with a shape. */
export function lineState(language: Language, state: LineState): Html {
  return label(lineShapes[state], lineWords[language][state])
}

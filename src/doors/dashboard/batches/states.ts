import type { LineState } from '#backoffice/batches/batch.ts'
import type { BatchState } from '#backoffice/batches/transitions.ts'
import type { Html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { label } from '../frame/components.ts'

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

const clock = 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7v5l3.5 2'
const line = 'M5 12h14'
const shapes: Record<BatchState, [tone: string, path: string]> = {
  draft: ['quiet', line],
  proposed: ['calm', clock],
  approved: ['good', clock],
  running: ['calm', 'm9 6 9 6-9 6z'],
  paused: ['calm', 'M9 6v12M15 6v12'],
  finished: ['good', 'm5 12.5 4.5 4.5L19 7.5'],
  refused: ['bad', 'm7 7 10 10M17 7 7 17'],
  cancelled: ['quiet', line],
}

/** The state of a batch as a word with a shape. */
export function batchState(language: Language, state: BatchState): Html {
  const [tone, path] = shapes[state]
  return label(tone, words[language][state], path)
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

const lineShapes: Record<LineState, [tone: string, path: string]> = {
  faulty: ['bad', 'M12 7v6M12 17v.1'],
  waiting: ['quiet', line],
  sending: ['calm', clock],
  sent: ['calm', clock],
  paid: ['good', 'm5 12.5 4.5 4.5L19 7.5'],
  failed: ['bad', 'm7 7 10 10M17 7 7 17'],
  refused: ['bad', 'm7 7 10 10M17 7 7 17'],
}

/** The state of a line of a batch as a word with a shape. */
export function lineState(language: Language, state: LineState): Html {
  const [tone, path] = lineShapes[state]
  return label(tone, lineWords[language][state], path)
}

import type { Html } from '../../../kit/html.ts'
import type { Proof } from '../../../verify/proof.ts'
import { label } from '../../frame/components.ts'
import type { OpsVisit } from '../../frame/visit.ts'
import { words } from './words.ts'

const clockPath = 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7v5l3.5 2'

/** How a proof stands, as a word with a shape. */
export function proofState({ language }: OpsVisit, { state, breaks, postings }: Proof): Html {
  const say = words[language]
  if (state !== 'done')
    return label(state === 'failed' ? 'bad' : 'calm', say.states[state], clockPath)
  const count = breaks?.length ?? 0
  if (count === 0 && postings === 0) return label('calm', say.nothing, clockPath)
  return count === 0
    ? label('good', say.holds, 'm5 12.5 4.5 4.5L19 7.5')
    : label('bad', say.broken(count), 'm7 7 10 10M17 7 7 17')
}

/** How long it took; null: it has not ended. */
export function tookText({ language }: OpsVisit, { startedAt, endedAt }: Proof): string | null {
  if (startedAt === null || endedAt === null) return null
  const seconds = (endedAt.getTime() - startedAt.getTime()) / 1000
  return words[language].seconds(seconds.toFixed(1).replace('.', language === 'fr' ? ',' : '.'))
}

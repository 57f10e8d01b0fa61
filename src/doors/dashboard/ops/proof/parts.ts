import type { Html } from '#base/kit/html.ts'
import { label } from '#doors/dashboard/frame/components.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { Proof } from '#operations/verify/proof-store.ts'
import { words } from './words.ts'

/** What a proof came to, as a word with a shape. */
export function proofResult({ language }: OpsVisit, { breaks, postings }: Proof): Html {
  const say = words[language]
  if (breaks.length > 0) return label('bad', say.broken(breaks.length), 'm7 7 10 10M17 7 7 17')
  return postings === 0
    ? label('calm', say.nothing, 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7v5l3.5 2')
    : label('good', say.holds, 'm5 12.5 4.5 4.5L19 7.5')
}

/** How long it took. */
export function tookText({ language }: OpsVisit, { startedAt, endedAt }: Proof): string {
  const seconds = ((endedAt.getTime() - startedAt.getTime()) / 1000).toFixed(1)
  return words[language].seconds(language === 'fr' ? seconds.replace('.', ',') : seconds)
}

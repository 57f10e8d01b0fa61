import type { Html } from '#base/kit/html.ts'
import { label } from '#doors/dashboard/frame/components.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { Proof } from '#operations/verify/proof-store.ts'
import { words } from './words.ts'

/** What a proof came to, as a word with a shape. */
export function proofResult({ language }: OpsVisit, { breaks, postings }: Proof): Html {
  const say = words[language]
  if (breaks.length > 0) return label(['bad', 'cross'], say.broken(breaks.length))
  return postings === 0
    ? label(['calm', 'clock'], say.nothing)
    : label(['good', 'check'], say.holds)
}

/** How long it took. */
export function tookText({ language }: OpsVisit, { startedAt, endedAt }: Proof): string {
  const seconds = ((endedAt.getTime() - startedAt.getTime()) / 1000).toFixed(1)
  return words[language].seconds(language === 'fr' ? seconds.replace('.', ',') : seconds)
}

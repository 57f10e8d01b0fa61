import { html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { providerPlace } from '#doors/dashboard/frame/kinds.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { ProviderState } from '#operations/health/judge.ts'
import { providerHref, providerState, seenOfProvider } from './provider-words.ts'

const words = inBoth({
  fr: { back: fr`Annuler` },
  en: { back: 'Cancel' },
})

interface Question {
  title: string
  /** A sentence that says what will happen. */
  text: string
  /** What the button says. */
  go: string
  kind?: 'danger'
  fields?: Piece
  problems?: Problems
}

/** Asks before something is done with a provider; the form goes to the address of the page. */
export function confirmCard(visit: OpsVisit, one: ProviderState, question: Question): Screen {
  const { title, text, go, kind = '', fields, problems = {} } = question
  const path = providerHref(one)
  return {
    title: `${title} · ${providerPlace(visit.language, one)}`,
    section: 'providers',
    body: html`<section class="card narrow"><div class="head"><h1>${title}</h1>${providerState(
      visit,
      one,
    )}</div>
<p>${text}</p>
${problemList(visit.language, problems)}
<form method="post" action="${visit.path}">${tokenField(visit, seenOfProvider(visit, one))}${fields}
<p class="ways"><button class="${kind}">${go}</button>
<a class="button second" href="${path}">${words[visit.language].back}</a></p></form></section>`,
  }
}

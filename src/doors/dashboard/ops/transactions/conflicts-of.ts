import type { Detail } from '#backoffice/reports/detail.ts'
import { html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { instant } from '#doors/dashboard/frame/components.ts'
import { noteIn } from '#doors/dashboard/frame/technical-words.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { Conflict } from '#money/transactions/conflict-store.ts'
import { conflictWords } from '../decide-words.ts'

const words = inBoth({
  fr: { look: fr`Voir et fermer`, closed: fr`Fermée` },
  en: { look: 'View and close', closed: 'Closed' },
})

/** The conflicts of a transaction; each leads to its own page. */
export function conflictList(visit: OpsVisit, { conflicts }: Detail): Piece {
  const { look, closed } = words[visit.language]
  return conflicts.map(({ id, kind, at, closingReason }) => {
    const { name, why, todo } = conflictWords[visit.language][kind as Conflict['kind']]
    const isOpen = closingReason === null
    return html`<div class="notice${isOpen && ' bad'}"><p><b>${name}</b> ${instant(visit, at)}</p>
<p>${why} ${isOpen && todo}</p>${
      !isOpen && html`<p>${closed} : <bdi>${noteIn(visit.language, closingReason)}</bdi></p>`
    }<p><a href="/dashboard/ops/conflicts/${id}">${look}</a></p></div>`
  })
}

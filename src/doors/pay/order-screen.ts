import { html, type Piece } from '#base/kit/html.ts'
import type { PayerView } from '#money/links/checkout.ts'
import { orderSummary } from './components.ts'
import type { Screen } from './page.ts'
import type { Visit } from './visit.ts'

/** A screen with the order on top and its own content in a panel below. */
export function orderScreen(
  visit: Visit,
  view: PayerView,
  kind: string,
  title: string,
  content: Piece[],
): Screen {
  return {
    title,
    kind,
    body: html`${orderSummary(visit, view)}<section class="panel">${content}</section>`,
  }
}

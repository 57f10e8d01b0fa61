import { type Html, html, type Piece } from '#base/kit/html.ts'
import { icons } from '#edge/pages/icons.ts'
import { headline } from './components.ts'
import type { Screen } from './page.ts'
import type { Visit } from './visit.ts'

/** The same page for every link that does not exist. */
export function unknownScreen({ texts }: Visit): Screen {
  return messageScreen(texts.unknownTitle, icons.info, texts.unknownWhat)
}

/** The address names another part of the gateway, which has this link or not. */
export function elsewhereScreen({ texts }: Visit): Screen {
  return messageScreen(texts.elsewhereTitle, icons.info, texts.elsewhereWhat)
}

/** Over a rate limit; `seconds` until the next try. */
export function busyScreen({ texts }: Visit, seconds: number): Screen {
  return messageScreen(texts.busyTitle, icons.clock, texts.busyWhat(seconds))
}

type ErrorCause = 'malformed' | 'internal'

/**
 * A malformed request or an error of ours; the button leads back to the payment.
 */
export function errorScreen({ texts, hrefOf }: Visit, cause: ErrorCause): Screen {
  const [title, what] = {
    malformed: [texts.malformedTitle, texts.malformedWhat] as const,
    internal: [texts.internalErrorTitle, texts.internalErrorWhat] as const,
  }[cause]
  return messageScreen(
    title,
    icons.info,
    what,
    html`<a class="button" href="${hrefOf()}">${texts.open}</a>`,
  )
}

/** A screen without an order: one message. */
function messageScreen(title: string, icon: Html, what: string, ...more: Piece[]): Screen {
  const body = html`<section class="panel">${headline(icon, 'calm', title, what)}${more}</section>`
  return { title, kind: 'alone', body }
}

import { readFileSync } from 'node:fs'
import { type Html, html, raw } from '#base/kit/html.ts'
import { locales, otherLanguage } from '#base/kit/language.ts'
import { formatAmount } from '#base/kit/money.ts'
import { brandStyle } from '#edge/pages/brand-colours.ts'
import { headTags } from '#edge/pages/head.ts'
import { icons } from '#edge/pages/icons.ts'
import { minifyScript, minifyStyle } from '#edge/pages/minify.ts'
import type { PayerView } from '#money/links/checkout.ts'
import type { Visit } from './visit.ts'

/** The part of a page between header and footer. */
export interface Screen {
  title: string
  /** What the payer has to do now. The script keeps a form with its input until this changes. */
  kind: string
  body: Html
  /** Why a request was not carried out. */
  remark?: string
}

const style = raw(minifyStyle(read('../../edge/pages/theme.css') + read('page.css')))
const script = raw(minifyScript(read('page.js')))

// Without a script these are loaded again by themselves: nothing typed can be lost. A payer
// needs about a minute for the PIN; a page is 9 KB.
const followed = new Set(['closed', 'preparing', 'push', 'redirect', 'checking'])
const refreshSeconds = 10

/** A whole document with inline style and script: the browser fetches nothing else. */
export function writePage(
  visit: Visit,
  screen: Screen,
  view: PayerView | undefined,
  nonce: string,
): Html {
  const { texts, language } = visit
  return html`<!doctype html>
<html lang="${language}">
<head>
${headTags}
${titleOf(screen, view)}
${view !== undefined && cardOf(visit, view)}
${
  followed.has(screen.kind) &&
  html`<noscript><meta http-equiv="refresh"
 content="${refreshSeconds};url=${visit.hrefOf()}"></noscript>`
}
<style nonce="${nonce}">${style}${brandOf(view)}</style>
</head>
<body>
<header>${visit.isSandbox && html`<p class="test"><b>TEST</b> ${texts.sandbox}</p>`}
<div class="bar"><p>${icons.lock} ${texts.secure}</p>${languageSwitch(visit)}</div></header>
<p id="offline" class="notice" role="status" hidden><b>${texts.offline}</b>
<span>${texts.resumes}</span><span hidden>${texts.held}</span></p>
${mainOf(visit, screen, view)}
<p id="live" class="unseen" role="status"></p>
<footer><p>${texts.neverPin}</p><p>${texts.by}</p></footer>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`
}

/**
 * What chats show of a link that is sent: shop, item and amount, the same in every state, and
 * nothing of the customer.
 */
function cardOf({ language, logoUrlOf }: Visit, { shop, item, amount, brand }: PayerView): Html {
  const { logo } = brand
  return html`<meta property="og:type" content="website">
<meta property="og:locale" content="${locales[language].replace('-', '_')}">
<meta property="og:title" content="${shop} · ${formatAmount(amount)}">
<meta property="og:description" content="${item}">${
    logo !== null &&
    html`<meta property="og:image" content="${logoUrlOf(logo.hash)}">
<meta property="og:image:width" content="${logo.width}">
<meta property="og:image:height" content="${logo.height}">`
  }`
}

/** Only title and main element, for the script to replace those that are shown. */
export function writeMain(visit: Visit, screen: Screen, view: PayerView | undefined): Html {
  return html`<!doctype html>${titleOf(screen, view)}${mainOf(visit, screen, view)}`
}

/** Colours are checked when they are set: nothing else of a merchant's is ever in a style. */
function brandOf(view: PayerView | undefined): Html | null {
  const colour = view?.brand.colour ?? null
  return colour === null ? null : raw(brandStyle(colour))
}

function titleOf(screen: Screen, view: PayerView | undefined): Html {
  return html`<title>${screen.title}${view !== undefined && ` · ${view.shop}`}</title>`
}

function mainOf(visit: Visit, screen: Screen, view: PayerView | undefined): Html {
  const { kind, remark, body } = screen
  return html`<main id="main" data-kind="${kind}"${view !== undefined && scriptData(visit, view)}>
${remark !== undefined && html`<p class="notice bad" role="alert">${remark}</p>`}
${body}
</main>`
}

/** The attributes that the script reads. */
function scriptData(visit: Visit, view: PayerView): Html {
  return html` data-version="${view.version}" data-page="${visit.hrefOf()}"`
}

function languageSwitch({ texts, language, otherLanguageQuery }: Visit): Html {
  const other = otherLanguage[language]
  return html`<a href="${otherLanguageQuery}" lang="${other}" hreflang="${other}">${
    texts.otherLanguage
  }</a>`
}

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}

import { type Html, html, type Piece, raw } from '#base/kit/html.ts'
import { type Language, otherLanguage } from '#base/kit/language.ts'
import { headTags } from '#edge/pages/head.ts'
import { icons } from '#edge/pages/icons.ts'
import { againAddress } from './again-address.ts'
import type { Assets } from './assets.ts'
import { copyButton } from './components.ts'
import type { Follow } from './following.ts'
import { type Fact, sealOf } from './reviewed.ts'
import { type Entry, opsSections, sections } from './sections.ts'
import type { AnyVisit, Guest } from './visit.ts'
import { frameWords, type OpsSection, type Section } from './words.ts'

/** What a page shows inside its frame. */
export interface Screen {
  title: string
  body: Html
  /** The entry of the navigation that it belongs to. */
  section?: Section | OpsSection
  /** The HTTP status; 200 if left out. */
  status?: number
  /** Where the page asks whether what it shows has changed; the frame sets it. */
  follow?: Follow
}

// On a phone the first four are in the bottom bar, the others under "more".
const inBottomBar = 4

/** The page of a person who is signed in. */
export function writePage(visit: AnyVisit, screen: Screen, assets: Assets): Html {
  const words = frameWords[visit.language]
  const home = visit.client === null ? '/dashboard/ops' : '/dashboard'
  return document(
    visit,
    screen.title,
    assets,
    html`<a class="skip" href="#main">${words.skip}</a>
<header>${band(visit)}
<div class="top">
<a class="brand" href="${home}">${mark}<span>${words.product}</span></a>
${personMenu(visit)}
</div></header>
<div class="frame">
${navigation(visit, screen.section)}
<main id="main" tabindex="-1">
${screen.follow !== undefined && followMark(visit, screen.follow)}
${message(visit)}
${screen.body}
</main>
</div>
<p id="lost" class="lost" role="status" hidden>${words.lost}</p>`,
  )
}

/** Says that a page follows what it shows; hidden until it does. */
function followMark({ language }: AnyVisit, { address, seconds }: Follow): Html {
  return html`<p class="live" data-follow="${address}" data-seconds="${seconds}" hidden>${
    frameWords[language].live
  }</p>`
}

/** A page before sign-in: one card on paper. */
export function writeGuestPage(guest: Guest, screen: Screen, assets: Assets): Html {
  const words = frameWords[guest.language]
  const other = otherLanguage[guest.language]
  return document(
    guest,
    screen.title,
    assets,
    html`<header>${band(guest)}
<div class="top"><a class="brand" href="/dashboard">${mark}<span>${words.product}</span></a>
<a href="${inLanguage(guest, other)}" lang="${other}" hreflang="${other}">${
      words.otherLanguage
    }</a></div>
</header>
<main id="main" class="alone">${screen.body}</main>`,
  )
}

function inLanguage(guest: Guest, language: Language): string {
  const [path, search] = againAddress(guest).split('?')
  const query = new URLSearchParams(search)
  query.set('lang', language)
  return `${path}?${query.toString()}`
}

function document(guest: Guest, title: string, assets: Assets, body: Html): Html {
  const { language, nonce } = guest
  return html`<!doctype html>
<html lang="${language}">
<head>
${headTags}
<meta name="csp-nonce" content="${nonce}">
<meta name="turbo-refresh-method" content="morph">
<meta name="turbo-refresh-scroll" content="preserve">
<title>${title} · ${frameWords[language].product}</title>
<link rel="stylesheet" href="${assets.hrefOf('dashboard.css')}" data-turbo-track="reload">
<script type="module" nonce="${nonce}" src="${assets.hrefOf('turbo.js')}"></script>
<script type="module" nonce="${nonce}" src="${assets.hrefOf('dashboard.js')}"></script>
</head>
<body>
${body}
</body>
</html>
`
}

const mark = raw(
  '<svg viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="7"/>' +
    '<path d="M5 17a7 7 0 0 1 14 0M3 17h18"/></svg>',
)

function band(guest: Guest): Piece {
  return guest.isSandbox && html`<p class="test">${frameWords[guest.language].sandbox}</p>`
}

function entry(href: string, text: string): Html {
  return html`<li><a href="${href}">${text}</a></li>`
}

/** Whose pages these are; and the person's account, what else they can see, and the way out. */
function personMenu(visit: AnyVisit): Html {
  const { session, client, language } = visit
  const words = frameWords[language]
  return html`<details class="drop person"><summary><span><b><bdi>${
    client === null ? words.operations : client.name
  }</bdi></b>
<small><bdi>${session.personName}</bdi></small></span></summary>
<div><p class="hint">${words.signedInAs(session.email)}</p>
<ul>${entry('/dashboard/account', words.sections.account)}${
    session.operatorRole !== null && client !== null && entry('/dashboard/ops', words.operations)
  }${session.clientId !== null && entry('/dashboard/clients', words.switchClient)}
<li>${languageSwitch(visit)}</li>
<li><form method="post" action="/dashboard/sign-out">${tokenField(visit)}
<button>${words.signOut}</button></form></li></ul></div></details>`
}

function navigation(visit: AnyVisit, current: Screen['section']): Html {
  const words = frameWords[visit.language]
  const names: Record<string, string> = visit.client === null ? words.opsSections : words.sections
  const all: Entry[] = visit.client === null ? opsSections : sections
  const entries = all
    .filter(({ action }) => visit.may(action))
    .map(({ name, href, icon }) => {
      const here = name === current && html` aria-current="page"`
      const text = html`<span>${names[name]}</span>`
      return html`<li><a href="${href}"${here}>${icons[icon]}${text}</a></li>`
    })
  const rest = entries.slice(inBottomBar)
  return html`<nav class="menu" aria-label="${words.menu}">
<ul class="side">${entries}</ul>
<ul class="bottom">${entries.slice(0, inBottomBar)}
${
  rest.length > 0 &&
  html`<li><details name="menu"><summary>${icons.more}<span>${
    words.more
  }</span></summary><ul>${rest}</ul></details></li>`
}</ul>
</nav>`
}

/** What the last action has to tell, and its secret. */
function message({ session, language }: AnyVisit): Piece {
  if (session.message === null) return null
  const words = frameWords[language]
  const { text, secret, tone = 'good', answer } = session.message
  return html`<div id="told" class="notice ${tone}" role="status"><p>${text}</p>${
    answer !== undefined && html`<pre tabindex="0">${answer}</pre>`
  }${
    secret !== undefined &&
    html`<p class="secret"><code id="secret">${secret}</code>
${copyButton(language, secret)}</p>
<p class="hint">${words.secretOnce}</p>`
  }</div>`
}

/** The hidden field that every form has: without it a form is refused. It holds what was seen. */
export function tokenField(visit: AnyVisit, facts: Fact[] = []): Html {
  return html`<input type="hidden" name="token" value="${visit.formToken(sealOf(facts))}">`
}

function languageSwitch(visit: AnyVisit): Html {
  const { language } = visit
  const other = otherLanguage[language]
  // A secret is shown once, whatever the language: the other page shows it again.
  const { secret, sealed } = visit.session.message ?? {}
  return html`<form method="post" action="/dashboard/account/language">${tokenField(visit)}
<input type="hidden" name="language" value="${other}">
<input type="hidden" name="back" value="${againAddress(visit)}">
${secret !== undefined && html`<input type="hidden" name="told" value="${sealed}">`}
<button lang="${other}">${frameWords[language].otherLanguage}</button></form>`
}

import { type Html, html, type Piece, raw } from '#base/kit/html.ts'
import { type Language, otherLanguage } from '#base/kit/language.ts'
import { headTagsOf } from '#edge/pages/head.ts'
import { chapters, guideNames } from './contents.ts'
import type { Guide } from './read-guide.ts'
import type { Rendered } from './render.ts'
import { type Found, queryMax } from './search.ts'
import { words } from './words.ts'

/** What every page of a language has: all guides, for its lists, and the addresses of its files. */
export interface Frame {
  language: Language
  guides: Map<string, Guide>
  styleHref: string
  scriptHref: string
}

/** The list of all guides. */
export function homePage(frame: Frame): Html {
  const { language, guides } = frame
  const say = words[language]
  return document(frame, { title: say.guides, query: '', path: '' }, [
    html`<h1>${say.guides}</h1><p class="lead">${say.about}</p>`,
    chapters.map(
      ({ title, guides: names }) =>
        html`<section><h2>${title[language]}</h2><ul class="cards">${names.map(
          (name) =>
            html`<li><a href="/docs/${language}/${name}">${guides.get(name)?.title}</a>
<p>${guides.get(name)?.summary}</p></li>`,
        )}</ul></section>`,
    ),
  ])
}

/** What `/` shows: the links for merchants, payers and developers. */
export function frontPage(frame: Frame, isUnknownLink: boolean): Html {
  const { language } = frame
  const say = words[language]
  const otherHref = `/?lang=${otherLanguage[language]}`
  const links = [
    ['/dashboard', say.dashboard, say.dashboardText],
    [`/docs/${language}`, say.guides, say.about],
    ['/docs/', say.reference, say.referenceText],
  ]
  return document(
    frame,
    { title: say.front, about: say.frontText, query: '', path: '', otherHref },
    [
      html`<h1>${say.front}</h1><p class="lead">${say.frontText}</p>
<ul class="cards">${links.map(
        ([href, title, text]) => html`<li><a href="${href}">${title}</a><p>${text}</p></li>`,
      )}</ul>
<h2>${say.payLink}</h2>
<form class="pay" action="/"><input type="hidden" name="lang" value="${language}">
<label for="link">${say.linkAddress}</label>
<input id="link" name="link" required maxlength="500" autocomplete="off"${
        isUnknownLink && html` aria-invalid="true" aria-describedby="link-wrong"`
      }><button>${say.toPay}</button>${
        isUnknownLink && html`<p id="link-wrong" role="alert">${say.unknownLink}</p>`
      }</form>`,
    ],
  )
}

/** A guide, with its headings, and the guides before and after it. */
export function guidePage(frame: Frame, { guide, body, sections }: Rendered): Html {
  const { language } = frame
  const say = words[language]
  const at = guideNames.indexOf(guide.name)
  const headings = sections.filter(({ level }) => level === 2)
  const { title, summary: about } = guide
  return document(frame, { title, about, query: '', path: `/${guide.name}` }, [
    html`<article><h1>${guide.title}</h1>${
      headings.length > 1 &&
      html`<nav class="toc" aria-label="${say.onThisPage}"><b>${say.onThisPage}</b>
<ul>${headings.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`)}</ul></nav>`
    }
${body}</article>
<nav class="neighbours" aria-label="${say.previous}, ${say.next}">${[
      neighbour(frame, guideNames[at - 1], say.previous, 'prev'),
      neighbour(frame, guideNames[at + 1], say.next, 'next'),
    ]}</nav>
<p class="hint"><a href="/docs/${language}/${guide.name}.md">${say.asMarkdown}</a></p>`,
  ])
}

/** The reference of the interface. */
export function referencePage(frame: Frame, { guide, body, sections }: Rendered): Html {
  const { title, summary: about } = guide
  const say = words[frame.language]
  const list = sections
    .filter(({ level }) => level === 2)
    .map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`)
  return document(frame, { title, about, query: '', path: '' }, [
    html`<article><h1>${title}</h1><nav class="toc" aria-label="${say.onThisPage}"><b>${
      say.onThisPage
    }</b>
<ul>${list}</ul></nav>
${body}</article>`,
  ])
}

/** What was found for a query. */
export function searchPage(frame: Frame, query: string, found: Found[]): Html {
  const { language } = frame
  const say = words[language]
  const isShort = query.trim().length < 2
  const advice = isShort ? say.tooShort : say.nothing
  const heading = isShort ? say.searchFor : say.resultsFor(query, found.length)
  const path = `/search${query === '' ? '' : `?q=${encodeURIComponent(query)}`}`
  return document(frame, { title: heading, query, path }, [
    html`<h1>${heading}</h1>${found.length === 0 && html`<p>${advice}</p>`}
<ol class="found">${found.map(({ guide, title, section, excerpt }) => {
      const anchor = section.id === '' ? '' : `#${section.id}`
      return html`<li><a href="/docs/${language}/${guide}${anchor}">${section.heading}</a>${
        section.id !== '' && html` <span class="hint">${title}</span>`
      }<p>${excerpt}</p></li>`
    })}</ol>`,
  ])
}

export function unknownPage(frame: Frame): Html {
  const say = words[frame.language]
  return document(frame, { title: say.unknown, query: '', path: '' }, [
    html`<h1>${say.unknown}</h1><p>${say.unknownText}</p>
<p><a href="/docs/${frame.language}">${say.toGuides}</a></p>`,
  ])
}

function neighbour(
  { guides, language }: Frame,
  name: string | undefined,
  label: string,
  rel: string,
) {
  return (
    name !== undefined &&
    html`<a rel="${rel}" href="/docs/${language}/${name}"><span>${label}</span> <b>${
      guides.get(name)?.title
    }</b></a>`
  )
}

interface Shown {
  title: string
  query: string
  /** Below /docs/<language>, the same in the other language. */
  path: string
  /** For search engines; left out: that of all guides. */
  about?: string
  /** The same in the other language, for a page that is not below /docs. */
  otherHref?: string
}

function document(frame: Frame, shown: Shown, body: Piece): Html {
  const { language, styleHref, scriptHref } = frame
  const say = words[language]
  const other = otherLanguage[language]
  const { title, query, path } = shown
  const { otherHref = `/docs/${other}${path}` } = shown
  return html`<!doctype html>
<html lang="${language}">
<head>
${headTagsOf(shown.about ?? say.about)}
<title>${title} · Passerelle</title>
<link rel="stylesheet" href="${styleHref}">
<script type="module" src="${scriptHref}"></script>
</head>
<body>
<a class="skip" href="#main">${say.skip}</a>
<header>
<a class="brand" href="/docs/${language}">${mark}<span>Passerelle <i>${say.guides}</i></span></a>
<form role="search" action="/docs/${language}/search"><label class="unseen" for="q">${
    say.searchFor
  }</label><input id="q" name="q" type="search" maxlength="${queryMax}" value="${query}"
 placeholder="${say.searchHint}" autocomplete="off"><button>${say.search}</button></form>
<p class="out"><a href="${otherHref}" lang="${other}" hreflang="${other}">${
    say.otherLanguage
  }</a></p>
</header>
<div class="frame">
<main id="main" tabindex="-1">
${body}
</main>
<nav class="guides" id="guides" aria-label="${say.allGuides}">${chapters.map(
    (chapter) =>
      html`<h2>${chapter.title[language]}</h2><ul>${chapter.guides.map((name) => {
        const here = path === `/${name}` && html` aria-current="page"`
        const href = `/docs/${language}/${name}`
        return html`<li><a href="${href}"${here}>${frame.guides.get(name)?.title}</a></li>`
      })}</ul>`,
  )}<ul class="elsewhere"><li><a href="/docs/">${say.reference}</a></li>
<li><a href="/dashboard">${say.dashboard}</a></li></ul></nav>
</div>
</body>
</html>
`
}

const mark = raw(
  '<svg viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="7"/>' +
    '<path d="M5 17a7 7 0 0 1 14 0M3 17h18"/></svg>',
)

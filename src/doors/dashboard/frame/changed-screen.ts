import { type Html, html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { SealedFacts } from '#merchants/people/sessions/forms.ts'
import { confirmFields } from './confirm.ts'
import { type Screen, tokenField } from './layout.ts'
import { type Fact, shownValue } from './reviewed.ts'
import { table } from './table.ts'
import type { AnyVisit } from './visit.ts'

const words = inBoth({
  fr: {
    title: fr`Vérifiez encore`,
    text: fr`Ceci a changé depuis que vous l'avez vu. Rien n'a été fait.`,
    first: fr`Vérifiez avant de continuer`,
    firstText: fr`Rien n'a encore été fait.`,
    goFirst: 'Continuer',
    what: fr`De quoi il s'agit`,
    before: 'Avant',
    now: 'Maintenant',
    yours: fr`Votre saisie`,
    go: fr`Le faire quand même`,
    back: fr`Ne rien faire`,
    other: fr`Formulaire d'un autre marchand`,
    otherText: (whose: string, shown: string) =>
      fr`Ce formulaire est celui de ${whose}, et vous êtes maintenant chez ${shown}. Rien n'a été
        fait.`,
    show: (name: string) => fr`Aller chez ${name}`,
    home: fr`Rester ici`,
  },
  en: {
    title: 'Please check again',
    text: 'This has changed since you saw it. Nothing was done.',
    first: 'Check before you go on',
    firstText: 'Nothing was done yet.',
    goFirst: 'Go on',
    what: 'What it is about',
    before: 'Before',
    now: 'Now',
    yours: 'What you typed',
    go: 'Do it anyway',
    back: 'Do nothing',
    other: 'A form of another merchant',
    otherText: (whose: string, shown: string) =>
      `This form belongs to ${whose}, and you are now looking at ${shown}. Nothing was done.`,
    show: (name: string) => `Go to ${name}`,
    home: 'Stay here',
  },
})

function shown(one: Fact, value: SealedFacts[string] | undefined): Piece {
  return shownValue(one, value) ?? '–'
}

/** What was seen, and what it is now. */
export function changedNotice(
  { language }: AnyVisit,
  seen: SealedFacts,
  changes: Fact[],
  fields: Record<string, string> = {},
): Html {
  const say = words[language]
  const isFirst = isNew(seen)
  const typed = ({ isField, name, wanted }: Fact): Piece =>
    isField === true ? html`<bdi>${fields[name]}</bdi>` : wanted
  const isTyped = changes.some((one) => typed(one) !== undefined)
  return html`<div class="notice${!isFirst && ' bad'}" role="alert"><p><b>${
    isFirst ? say.firstText : say.text
  }</b></p></div>
${table(
  changes,
  [
    { name: say.what, isTitle: true, cell: ({ label }) => label },
    ...(isFirst ? [] : [{ name: say.before, cell: (one: Fact) => shown(one, seen[one.name]) }]),
    { name: say.now, cell: (one) => html`<b>${shown(one, one.value)}</b>` },
    ...(isTyped ? [{ name: say.yours, cell: typed }] : []),
  ],
  { caption: say.what },
)}`
}

/** Names that were typed are looked up when a form is sent: then this is its first review. */
function isNew(seen: SealedFacts): boolean {
  return Object.keys(seen).length === 0
}

interface Changed {
  fields: Record<string, string>
  seen: SealedFacts
  facts: Fact[]
  changes: Fact[]
  /** Whether the form had a file, which a page cannot send again. */
  hasFiles: boolean
}

/** A review of any form, shown anew with the same fields and what is true now. */
export function changedScreen(visit: AnyVisit, changed: Changed): Screen {
  const { fields, seen, facts, changes, hasFiles } = changed
  const say = words[visit.language]
  const title = isNew(seen) ? say.first : say.title
  const own = new Set<string>(['token', ...confirmFields])
  const kept = Object.entries(fields).filter(([name]) => !own.has(name))
  return {
    title,
    status: 409,
    body: html`<h1>${title}</h1>${changedNotice(visit, seen, changes, fields)}
<form class="ways" method="post" action="${visit.path}">${tokenField(visit, facts)}
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${!hasFiles && html`<button>${isNew(seen) ? say.goFirst : say.go}</button>`}
<a class="button second" href="${visit.client === null ? '/dashboard/ops' : '/dashboard'}">${
      say.back
    }</a></form>`,
  }
}

/** A form that was opened while the session showed another client. */
export function otherClientScreen(visit: AnyVisit, whose: { id: number; name: string }): Screen {
  const say = words[visit.language]
  return {
    title: say.other,
    status: 409,
    body: html`<section class="card narrow"><h1>${say.other}</h1>
<p>${say.otherText(whose.name, visit.client?.name ?? '')}</p>
<form class="ways" method="post" action="/dashboard/clients">${tokenField(visit)}
<button name="client" value="${whose.id}">${say.show(whose.name)}</button>
<a class="button second" href="/dashboard">${say.home}</a></form></section>`,
  }
}

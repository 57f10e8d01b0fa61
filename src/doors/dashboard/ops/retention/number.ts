import { type Html, html } from '#base/kit/html.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { en, fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { empty, phone } from '#doors/dashboard/frame/components.ts'
import { field, type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { placeWord } from '#doors/dashboard/frame/kinds.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { problemsOf } from '#doors/dashboard/frame/problems.ts'
import type { Fact } from '#doors/dashboard/frame/reviewed.ts'
import { table } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { countries } from '#merchants/catalog/countries.ts'
import { traceWords } from '#operations/retention/file.ts'
import { type AskedNumber, countOf, type Found } from '#operations/retention/numbers.ts'
import { type TraceState, traceTables } from '#operations/retention/trace.ts'

export const words = inBoth({
  fr: {
    title: fr`Le numéro d'un payeur`,
    back: 'Conservation des données',
    lead: fr`Un payeur peut demander la liste de ce qui est conservé sur son numéro, et son
      effacement avant la date prévue, que deux personnes décident.`,
    number: fr`Numéro`,
    numberHint: fr`Comme on l'écrit dans son pays, ou avec + et l'indicatif.`,
    country: 'Pays',
    anyCountry: fr`D'après le numéro`,
    look: 'Rechercher',
    none: fr`Rien n'est conservé sur ce numéro.`,
    what: 'Enregistrement',
    found: fr`Ce qui est conservé`,
    download: fr`Télécharger la liste (CSV)`,
    forget: fr`Oublier ce numéro`,
    forgetLead: fr`Un pseudonyme remplace le numéro ; le nom et l'adresse du client sont
      effacés. Les montants, les identifiants, le grand livre et le journal restent ; un blocage
      aussi. Ses paiements ne peuvent plus être remboursés. Une autre personne doit l'approuver.`,
    open: fr`Une partie est encore en cours : l'oubli attend qu'elle soit terminée.`,
    reason: 'Motif',
    reasonHint: fr`La demande du payeur et sa date, sans le numéro.`,
    propose: 'Proposer',
    proposed: fr`Proposé. Une autre personne peut maintenant l'approuver.`,
  },
  en: {
    title: 'A payer’s number',
    back: 'Retention',
    lead: en`Payers may ask for a list of what is stored about their number, and for its early
        erasure, which two people decide.`,
    number: 'Number',
    numberHint: 'As it is written in its country, or with + and the country code.',
    country: 'Country',
    anyCountry: 'From the number',
    look: 'Search',
    none: 'Nothing is stored about this number.',
    what: 'Record',
    found: 'What is stored',
    download: 'Download the list (CSV)',
    forget: 'Forget this number',
    forgetLead: en`A pseudonym replaces the number, and the customer’s name and address are erased.
        Amounts, ids, the ledger and the audit log remain, and so does a block. Their payments
        can no longer be refunded. Another person has to approve it.`,
    open: 'Some of it is still open: it can be forgotten once that has ended.',
    reason: 'Reason',
    reasonHint: 'The payer’s request and its date, without the number.',
    propose: 'Propose',
    proposed: 'Proposed. Another person can now approve it.',
  },
})

const path = '/dashboard/ops/retention'
const states: TraceState[] = ['plain', 'open', 'forgotten', 'kept']

/** GET /dashboard/ops/retention/number: what is kept of a number, and the ways on */
export default function number(pages: Pages, context: DashboardContext): void {
  pages.screen('/dashboard/ops/retention/number', 'ops.number.export', async (visit) => {
    const { title } = words[visit.language]
    if (visit.query.number === undefined) return screen(visit, numberForm(visit), title)
    try {
      return numberScreen(visit, await context.numbers.find(askedOf(visit)))
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem
      const form = numberForm(visit, problemsOf(problem, visit.language))
      return { ...screen(visit, form, title), status: 422 }
    }
  })
}

/** The number in an address. */
export function askedOf({ query }: OpsVisit): AskedNumber & { country: string } {
  return { number: query.number ?? '', country: query.country ?? '' }
}

/** What the form shows of a number. */
export function seenOfNumber({ language }: OpsVisit, found: Found): Fact[] {
  return states.map((state) => ({
    name: state,
    label: traceWords[language].states[state],
    value: countOf(found, state),
  }))
}

interface Typed {
  problems: Problems
  reason: string
  changed?: Html
}

/** What is kept of a number, with the ways on. */
export function numberScreen(
  visit: OpsVisit,
  found: Found,
  typed: Typed = { problems: {}, reason: '' },
): Screen {
  const say = words[visit.language]
  const { tables, states: stateWords } = traceWords[visit.language]
  const kinds = traceTables.filter((one) => found.traces.some((trace) => trace.table === one))
  const count = (kind: string, state: TraceState) =>
    found.traces.filter((one) => one.table === kind && one.state === state).length
  const title = phone(visit, found.phone, `_${found.country}`)
  const query = new URLSearchParams({ number: found.phone, country: found.country })
  return screen(
    visit,
    html`${typed.changed}<h2>${say.found}</h2>
${
  kinds.length === 0
    ? empty(say.none)
    : html`${table(
        kinds,
        [
          { name: say.what, isTitle: true, cell: (kind) => tables[kind] },
          ...states.map((state) => ({
            name: stateWords[state],
            isNumeric: true,
            cell: (kind: (typeof kinds)[number]) => String(count(kind, state)),
          })),
        ],
        { caption: say.found },
      )}<p><a class="button second" href="${path}/export.csv?${query.toString()}" download>${
        say.download
      }</a></p>
${visit.may('ops.number.forget') && countOf(found, 'plain') > 0 && forgetForm(visit, found, typed)}`
}`,
    title,
  )
}

function screen(visit: OpsVisit, body: Html, title: string): Screen {
  const say = words[visit.language]
  return {
    title: say.title,
    section: 'retention',
    body: html`<p class="back"><a href="${path}">${say.back}</a></p>
<div class="head"><h1>${title}</h1></div>${body}`,
  }
}

function forgetForm(visit: OpsVisit, found: Found, { problems, reason }: Typed): Html {
  const say = words[visit.language]
  const token = tokenField(visit, seenOfNumber(visit, found))
  return html`<h2>${say.forget}</h2>
<form class="card" method="post" action="${path}/forget">${token}
${problemList(visit.language, problems)}
<p>${say.forgetLead}</p>
${countOf(found, 'open') > 0 && html`<p class="notice">${say.open}</p>`}
<input type="hidden" name="number" value="${found.phone}">
<input type="hidden" name="country" value="${found.country}">
${field(
  {
    name: 'reason',
    label: say.reason,
    hint: say.reasonHint,
    value: reason,
    maxLength: 500,
    isRequired: true,
    autocomplete: 'off',
  },
  problems,
)}
<button class="danger">${say.propose}</button></form>`
}

/** The form that looks a number up. */
export function numberForm(visit: OpsVisit, problems: Problems = {}): Html {
  const { language } = visit
  const say = words[language]
  const asked = askedOf(visit)
  const options: [string, string][] = [
    ['', say.anyCountry],
    ...Object.keys(countries).map((one): [string, string] => [one, placeWord(language, one)]),
  ]
  const tel = { type: 'tel', autocomplete: 'off', isRequired: true, value: asked.number }
  return html`<form class="card" method="get" action="${path}/number">
${problemList(language, problems)}
<p>${say.lead}</p>
${field({ name: 'number', label: say.number, hint: say.numberHint, ...tel }, problems)}
${field({ name: 'country', label: say.country, value: asked.country, options }, problems)}
<button>${say.look}</button></form>`
}

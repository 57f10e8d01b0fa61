import { ageNames, caseKinds } from '#backoffice/recon/cases/case.ts'
import { type Html, html } from '#base/kit/html.ts'
import { isUuid, lastId } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { empty, facts, hrefWith, moneyFact } from '#doors/dashboard/frame/components.ts'
import { field, type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { problemsOf } from '#doors/dashboard/frame/problems.ts'
import { type Fact, shownFacts } from '#doors/dashboard/frame/reviewed.ts'
import { pager } from '#doors/dashboard/frame/table.ts'
import {
  countSet,
  fileLink,
  filterFold,
  moreMenu,
  toolbar,
} from '#doors/dashboard/frame/toolbar.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { type AskedCases, askedStates, readCaseFilter } from './case-filter.ts'
import { caseTable } from './case-table.ts'
import { partyOf, partyOptions, partyWord } from './parties.ts'
import { reconWords } from './words.ts'

const words = inBoth({
  fr: {
    title: fr`Écarts`,
    states: { unclosed: fr`Pas encore fermés`, all: 'Tous' },
    age: fr`Âge`,
    mine: fr`Les miens`,
    remove: (text: string) => fr`Enlever le filtre ${text}`,
    none: fr`Aucun écart ne correspond à ces filtres.`,
    all: fr`Voir tous les écarts`,
    report: 'Rapport',
    stake: 'Relevé moins nous',
    search: fr`Référence, transaction ou numéro, en entier`,
    close: (count: number) => fr`Fermer ces écarts (${count})`,
    closeText: fr`Tous les écarts ouverts de ce filtre sont laissés tels quels, avec votre motif.
      Aucun argent ne bouge. Pour un fichier importé par erreur, retirez plutôt son relevé.`,
    closed: (count: number) => fr`C'est fait : écarts fermés, ${count}.`,
    reason: 'Motif',
  },
  en: {
    title: 'Differences',
    states: { unclosed: 'Not closed yet', all: 'All' },
    age: 'Age',
    mine: 'Mine',
    remove: (text: string) => `Remove the filter ${text}`,
    none: 'No difference matches these filters.',
    all: 'See all differences',
    report: 'Report',
    stake: 'Statement less ours',
    search: 'Reference, transaction or number, as a whole',
    close: (count: number) => `Close these differences (${count})`,
    closeText:
      'All open differences of this filter are left as they are, with your reason. No money ' +
      'moves. If a file was imported by mistake, withdraw its statement instead.',
    closed: (count: number) => `It is done: ${count} differences closed.`,
    reason: 'Reason',
  },
})

const pageLength = 50
const path = '/dashboard/ops/recon/cases'

/** GET, POST /dashboard/ops/recon/cases: differences by filters in the address; closing them */
export default function cases(pages: Pages, context: DashboardContext): void {
  const { recon } = context
  pages.screen('/dashboard/ops/recon/cases', 'ops.recon.read', (visit) =>
    caseList(context, visit, {}),
  )

  pages.action(
    '/dashboard/ops/recon/cases',
    {
      action: 'ops.recon.mend',
      isSensitive: true,
      reviewed: {
        find: async ({ now }, form) => {
          const { filter } = readCaseFilter({ query: form.fields, now })
          return { filter, ...(await recon.sumOpen(filter)) }
        },
        facts: (visit, sum) => openFacts(visit, sum),
      },
    },
    async (visit, form, { filter, count }) => {
      try {
        const closing = { reason: form.get('reason'), person: visit.actor, count }
        const closed = await recon.closeAll(filter, closing)
        return { to: path, text: words[visit.language].closed(closed) }
      } catch (problem) {
        const query = form.fields
        return caseList(context, { ...visit, query }, problemsOf(problem, visit.language))
      }
    },
  )
}

/** The differences that are asked for, with what is wrong with a form that was sent. */
async function caseList(
  { clients, recon, people }: DashboardContext,
  visit: OpsVisit,
  problems: Problems,
): Promise<Screen> {
  const say = words[visit.language]
  const asked = readCaseFilter(visit)
  const { after = '' } = visit.query
  const below = isUuid(after) ? after : lastId
  const found = await recon.cases(asked.filter, { below, limit: pageLength + 1 })
  const rows = found.slice(0, pageLength)
  const next = found.length > pageLength ? (rows.at(-1)?.id ?? null) : null
  const operators = await people.operators.list()
  const names = await clients.namesOf(
    rows.flatMap(({ clientId }) => (clientId === null ? [] : [{ clientId }])),
  )
  const open = visit.may('ops.recon.mend') && (await recon.sumOpen(asked.filter))
  return {
    title: say.title,
    section: 'recon',
    body: html`<p class="back"><a href="/dashboard/ops/recon">${
      reconWords[visit.language].title
    }</a></p>
<div class="head"><h1>${say.title}</h1></div>
${toolbar(
  filterForm(
    visit,
    asked,
    operators.map(({ email }) => email),
  ),
  setFilters(visit, asked),
  moreMenu(visit, [{ entries: reports(visit) }]),
)}
${
  rows.length === 0
    ? empty(say.none, { href: `${path}?state=all`, text: say.all })
    : caseTable(visit, rows, names)
}
${pager(visit, next)}
${open !== false && open.count > 0 && closeCard(visit, open, problems)}`,
  }
}

/** What the form that closes differences shows of them. */
function openFacts({ language }: OpsVisit, { count, amount }: Sum): Fact[] {
  const say = words[language]
  return [{ name: 'count', label: say.title, value: count }, moneyFact('amount', say.stake, amount)]
}

interface Sum {
  count: number
  amount: number
}

/** Closes all that pass the filter: what was imported by mistake is withdrawn instead. */
function closeCard(visit: OpsVisit, open: Sum, problems: Problems): Html {
  const say = words[visit.language]
  return html`<details class="card fold"${
    Object.keys(problems).length > 0 && html` open`
  }><summary>${say.close(open.count)}</summary><p>${say.closeText}</p>${facts(
    shownFacts(openFacts(visit, open)),
  )}
<form method="post" action="${path}">${problemList(visit.language, problems)}
${tokenField(visit, openFacts(visit, open))}
${filterNames.map(
  (name) =>
    (visit.query[name] ?? '') !== '' &&
    html`<input type="hidden" name="${name}" value="${visit.query[name]}">`,
)}
${field(
  {
    name: 'reason',
    label: say.reason,
    maxLength: 500,
    isRequired: true,
    autocomplete: 'off',
  },
  problems,
)}
<button class="danger">${say.close(open.count)}</button></form></details>`
}

const filterNames = ['state', 'kind', 'provider', 'person', 'age', 'statement', 'q']

function reports(visit: OpsVisit): Html[] {
  const at = { ...visit, path: '/dashboard/ops/recon/report' }
  const { state = 'unclosed' } = visit.query
  return ['csv', 'xlsx', 'pdf'].map((form) =>
    fileLink(
      hrefWith(at, { form, state, after: null }),
      `${words[visit.language].report} ${form.toUpperCase()}`,
    ),
  )
}

function filterForm(visit: OpsVisit, asked: AskedCases, people: string[]): Html {
  const { language, query } = visit
  const say = words[language]
  const { all, difference, state, provider, person, ages, kinds, states } = reconWords[language]
  const stateWord = { ...states, ...say.states }
  const any: [string, string] = ['', all]
  const fields = [
    select(
      'state',
      state,
      asked.state,
      askedStates.map((one) => [one, stateWord[one]]),
    ),
    select('kind', difference, query.kind ?? '', [
      any,
      ...caseKinds.map((one): [string, string] => [one, kinds[one]]),
    ]),
    select('provider', provider, query.provider ?? '', [any, ...partyOptions(language)]),
    select('person', person, query.person ?? '', [
      any,
      ...people.map((one): [string, string] => [one, one]),
    ]),
    select('age', say.age, query.age ?? '', [
      any,
      ...ageNames.map((one): [string, string] => [one, ages[one]]),
    ]),
    field({ name: 'q', label: say.search, value: query.q ?? '', autocomplete: 'off' }),
  ]
  return filterFold(visit, { fields, count: countSet(visit, filterNames), problems: {} })
}

function select(name: string, label: string, value: string, options: [string, string][]): Html {
  return field({ name, label, value, options })
}

/** What is asked for, each with a way to leave it out, and the person's own. */
function setFilters(visit: OpsVisit, { age, filter, state }: AskedCases): Html {
  const { language, actor } = visit
  const say = words[language]
  const { ages, kinds, states } = reconWords[language]
  const party = partyOf(visit.query.provider ?? '')
  const set: [name: string, text: string][] = [
    ...(state === 'unclosed' || state === 'all'
      ? []
      : [['state', states[state]] as [string, string]]),
    ...(filter.kind === undefined ? [] : [['kind', kinds[filter.kind]] as [string, string]]),
    ...(party === undefined ? [] : [['provider', partyWord(language, party)] as [string, string]]),
    ...(filter.person === undefined ? [] : [['person', filter.person] as [string, string]]),
    ...(filter.text === undefined ? [] : [['q', filter.text] as [string, string]]),
    ...(age === undefined ? [] : [['age', ages[age]] as [string, string]]),
  ]
  const isMine = filter.person?.toLowerCase() === actor.toLowerCase()
  return html`<p class="chips">${
    !isMine && html`<a href="${hrefWith(visit, { person: actor, after: null })}">${say.mine}</a>`
  }${set.map(
    ([name, text]) =>
      html`<a href="${hrefWith(visit, { [name]: null, after: null })}" aria-current="true"
 aria-label="${say.remove(text)}"><bdi>${text}</bdi> ×</a>`,
  )}</p>`
}

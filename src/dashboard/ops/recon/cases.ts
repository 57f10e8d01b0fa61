import type { Html, Piece } from '../../../kit/html.ts'
import { html } from '../../../kit/html.ts'
import { isUuid, lastId } from '../../../kit/ids.ts'
import { fr } from '../../../pages/typography.ts'
import type { Case } from '../../../recon/cases/case.ts'
import { ageNames, caseKinds } from '../../../recon/cases/case.ts'
import type { DashboardContext } from '../../context.ts'
import { empty, hrefWith, moment, money } from '../../frame/components.ts'
import { field } from '../../frame/fields.ts'
import type { Pages } from '../../frame/pages.ts'
import { pager, table } from '../../frame/table.ts'
import type { OpsVisit } from '../../frame/visit.ts'
import { inBoth } from '../../frame/words.ts'
import type { AskedCases } from './case-filter.ts'
import { askedStates, readCaseFilter } from './case-filter.ts'
import { partyOf, partyOptions, partyWord } from './parties.ts'
import { caseState, reconWords } from './words.ts'

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
    client: 'Marchand',
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
    client: 'Client',
  },
})

const pageLength = 50
const path = '/dashboard/ops/recon/cases'

/** GET /dashboard/ops/recon/cases: differences, newest first, by filters in the address */
export default function cases(pages: Pages, { recon, people }: DashboardContext): void {
  pages.screen('/dashboard/ops/recon/cases', 'ops.recon.read', async (visit) => {
    const say = words[visit.language]
    const asked = readCaseFilter(visit)
    const { after = '' } = visit.query
    const below = isUuid(after) ? after : lastId
    const found = await recon.cases(asked.filter, { below, limit: pageLength + 1 })
    const rows = found.slice(0, pageLength)
    const next = found.length > pageLength ? (rows.at(-1)?.id ?? null) : null
    const operators = await people.operators.list()
    return {
      title: say.title,
      section: 'recon',
      body: html`<p><a href="/dashboard/ops/recon">${reconWords[visit.language].title}</a></p>
<div class="head"><h1>${say.title}</h1><div class="ways">${reportWays(visit)}</div></div>
${filterForm(
  visit,
  asked,
  operators.map(({ email }) => email),
)}
${chips(visit, asked)}
${
  rows.length === 0
    ? empty(say.none, { href: `${path}?state=all`, text: say.all })
    : caseTable(visit, rows)
}
${pager(visit, next)}`,
    }
  })
}

function reportWays(visit: OpsVisit): Piece {
  const at = { ...visit, path: '/dashboard/ops/recon/report' }
  const { state = 'unclosed' } = visit.query
  return (['csv', 'xlsx', 'pdf'] as const).map(
    (form) =>
      html`<a class="button second" href="${hrefWith(at, { form, state, after: null })}" download
 data-turbo="false">${words[visit.language].report} ${form.toUpperCase()}</a>`,
  )
}

function filterForm({ language, query }: OpsVisit, asked: AskedCases, people: string[]): Html {
  const say = words[language]
  const { all, apply, difference, state, provider, person, ages, kinds, states } =
    reconWords[language]
  const stateWord = { ...states, ...say.states }
  const any: [string, string] = ['', all]
  return html`<details class="card fold"><summary>${apply}</summary>
<form class="filters" method="get" action="${path}">
${select(
  'state',
  state,
  asked.state,
  askedStates.map((one) => [one, stateWord[one]]),
)}
${select('kind', difference, query.kind ?? '', [
  any,
  ...caseKinds.map((one): [string, string] => [one, kinds[one]]),
])}
${select('provider', provider, query.provider ?? '', [any, ...partyOptions(language)])}
${select('person', person, query.person ?? '', [
  any,
  ...people.map((one): [string, string] => [one, one]),
])}
${select('age', say.age, query.age ?? '', [
  any,
  ...ageNames.map((one): [string, string] => [one, ages[one]]),
])}
<button>${apply}</button></form></details>`
}

function select(name: string, label: string, value: string, options: [string, string][]): Html {
  return field({ name, label, value, options })
}

/** What is asked for, each with a way to leave it out, and the person's own. */
function chips(visit: OpsVisit, { age, filter, state }: AskedCases): Html {
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

function caseTable(visit: OpsVisit, rows: Case[]): Html {
  const { language } = visit
  const say = reconWords[language]
  return table(
    rows,
    [
      {
        name: say.difference,
        isTitle: true,
        cell: ({ id, kind }) => html`<a href="${path}/${id}">${say.kinds[kind]}</a>`,
      },
      { name: say.state, cell: (one) => caseState(language, one) },
      {
        name: words[language].stake,
        isNumeric: true,
        cell: ({ amount }) => money(amount),
      },
      { name: say.provider, cell: (one) => partyWord(language, one) },
      {
        name: say.file,
        cell: ({ statementId, statementName, line }) =>
          html`<div><a href="/dashboard/ops/recon/statements/${statementId}"><bdi>${
            statementName
          }</bdi></a>${line !== null && html`<small>${say.line} ${line}</small>`}</div>`,
      },
      { name: say.opened, cell: ({ openedAt }) => moment(visit, openedAt) },
      { name: say.person, cell: ({ person }) => html`<bdi>${person ?? ''}</bdi>` },
    ],
    { caption: words[language].title },
  )
}

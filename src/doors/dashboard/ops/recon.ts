import type { Balance } from '#backoffice/recon/balance/balance.ts'
import { type Age, ageNames, type CaseKind, caseKinds } from '#backoffice/recon/cases/case.ts'
import type { Party, Statement } from '#backoffice/recon/import/statement.ts'
import { cached } from '#base/kit/cached.ts'
import { type Html, html } from '#base/kit/html.ts'
import { isUuid, lastId } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { ageChart } from '../charts/ages.ts'
import type { DashboardContext } from '../context.ts'
import { empty, moment, money, percentText } from '../frame/components.ts'
import type { Pages } from '../frame/pages.ts'
import { pager, table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { inParty, nameOf, partyWord } from './recon/parties.ts'
import { reconWords } from './recon/words.ts'

const words = inBoth({
  fr: {
    lead: fr`Les relevés des prestataires, comparés à ce que nous savons. Chaque écart reste ouvert
      jusqu'à ce qu'il soit expliqué ou corrigé.`,
    import: fr`Importer un relevé`,
    cases: fr`Tous les écarts`,
    providers: 'Par prestataire',
    last: 'Dernier relevé',
    until: fr`jusqu'au`,
    end: fr`Jusqu'au`,
    matched: fr`Lignes concordantes`,
    open: fr`Écarts ouverts`,
    balance: fr`Solde : relevé moins grand livre`,
    equal: fr`égal`,
    mapping: 'Lecture des fichiers',
    change: 'Voir',
    ages: fr`Écarts ouverts, par âge`,
    figures: 'Voir les chiffres',
    age: fr`Âge`,
    sum: fr`Francs en jeu`,
    noOpen: fr`Aucun écart n'est ouvert.`,
    list: fr`Relevés importés`,
    none: fr`Aucun relevé n'est encore importé.`,
    lines: 'Lignes',
    found: fr`Écarts`,
    by: fr`Importé par`,
  },
  en: {
    lead:
      'Statements of providers, compared with what we know. Each difference stays open until it ' +
      'is explained or corrected.',
    import: 'Import a statement',
    cases: 'All differences',
    providers: 'By provider',
    last: 'Last statement',
    until: 'until',
    end: 'Until',
    matched: 'Lines that match',
    open: 'Open differences',
    balance: 'Balance: statement less ledger',
    equal: 'equal',
    mapping: 'How files are read',
    change: 'See',
    ages: 'Open differences, by age',
    figures: 'See the figures',
    age: 'Age',
    sum: 'Francs at stake',
    noOpen: 'No difference is open.',
    list: 'Imported statements',
    none: 'No statement has been imported yet.',
    lines: 'Lines',
    found: 'Differences',
    by: 'Imported by',
  },
})

const pageLength = 20

interface ProviderRow extends Party {
  last: Statement | undefined
  /** Undefined: there is no statement that was read to its end. */
  balance: Balance | undefined
  open: [CaseKind, number][]
}

/** GET /dashboard/ops/recon: statements of providers, and how they differ from our records */
export default function recon(pages: Pages, { recon: room }: DashboardContext): void {
  const balanceOf = cached(
    rememberedMs,
    async (id: string) => room.balance(await room.get(id)),
    100,
  )
  pages.screen('/dashboard/ops/recon', 'ops.recon.read', async (visit) => {
    const say = words[visit.language]
    const { after = '' } = visit.query
    const below = isUuid(after) ? after : lastId
    const found = await room.list({ below, limit: pageLength + 1 })
    const rows = found.slice(0, pageLength)
    const next = found.length > pageLength ? (rows.at(-1)?.id ?? null) : null
    const isFirst = below === lastId
    const mayImport = visit.may('ops.recon.import')
    return {
      title: reconWords[visit.language].title,
      section: 'recon',
      body: html`<div class="head"><h1>${reconWords[visit.language].title}</h1>
<div class="ways">${
        mayImport && html`<a class="button" href="/dashboard/ops/recon/import">${say.import}</a>`
      }<a class="button second" href="/dashboard/ops/recon/cases">${say.cases}</a></div></div>
${isFirst && html`<p class="hint">${say.lead}</p>`}
${isFirst && (await overview(visit))}
<h2>${say.list}</h2>
${rows.length === 0 ? empty(say.none) : statementTable(visit, rows)}
${pager(visit, next)}`,
    }
  })

  async function overview(visit: OpsVisit): Promise<Html> {
    const [ages, parties] = [await room.ages(), await readParties()]
    const say = words[visit.language]
    return html`${
      ages.length === 0
        ? parties.length > 0 && html`<p class="notice good">${say.noOpen}</p>`
        : ageCard(visit, ages)
    }
${parties.length > 0 && html`<h2>${say.providers}</h2>${providerTable(visit, parties)}`}`
  }

  async function readParties(): Promise<ProviderRow[]> {
    const unclosed = await room.unclosed()
    const rows: ProviderRow[] = []
    for (const { provider, country } of await room.newest()) {
      const party = { provider, country }
      const [last] = await room.list({ ...party, limit: 1 })
      const open = unclosed
        .filter((one) => nameOf(one) === nameOf(party))
        .map(({ kind, count }): [CaseKind, number] => [kind, count])
      const balance = last?.state === 'read' ? await balanceOf(last.id) : undefined
      rows.push({ ...party, last, open, balance })
    }
    return rows
  }
}

// A long statement takes seconds to sum up.
const rememberedMs = 60_000

function ageCard(visit: OpsVisit, ages: Age[]): Html {
  const { language } = visit
  const say = words[language]
  const { ages: ageWords, kinds } = reconWords[language]
  const rows = ageNames.map((age) => {
    const own = ages.filter((one) => one.age === age)
    const of = (value: (one: Age) => number) => own.reduce((sum, one) => sum + value(one), 0)
    const counts = new Map(own.map(({ kind, count }) => [kind, count]))
    return { age, count: of(({ count }) => count), amount: of(({ amount }) => amount), counts }
  })
  const shown = caseKinds.filter((kind) => ages.some((one) => one.kind === kind))
  const bars = rows.map(({ age, count }) => ({ name: ageWords[age], count }))
  return html`<section class="card"><h2>${say.ages}</h2>
${ageChart({ title: say.ages, bars })}
<details><summary>${say.figures}</summary>${table(
    rows,
    [
      {
        name: say.age,
        isTitle: true,
        cell: ({ age }) =>
          html`<a href="/dashboard/ops/recon/cases?state=unclosed&amp;age=${age}">${
            ageWords[age]
          }</a>`,
      },
      ...shown.map((kind) => ({
        name: kinds[kind],
        isNumeric: true,
        cell: ({ counts }: (typeof rows)[number]) => counts.get(kind) ?? 0,
      })),
      { name: say.open, isNumeric: true, cell: ({ count }) => html`<b>${count}</b>` },
      { name: say.sum, isNumeric: true, cell: ({ amount }) => money(amount) },
    ],
    { caption: say.ages },
  )}</details></section>`
}

function providerTable(visit: OpsVisit, rows: ProviderRow[]): Html {
  const { language } = visit
  const say = words[language]
  const { kinds, provider } = reconWords[language]
  return table(
    rows,
    [
      { name: provider, isTitle: true, cell: (one) => partyWord(language, one) },
      {
        name: say.last,
        cell: ({ last }) =>
          last !== undefined &&
          html`<div>${statementLink(last)}${
            last.toAt !== null &&
            html`<small>${say.until} ${moment(inParty(visit, last), last.toAt)}</small>`
          }</div>`,
      },
      {
        name: say.matched,
        isNumeric: true,
        cell: ({ last }) => last !== undefined && matchedShare(visit, last),
      },
      {
        name: say.open,
        cell: ({ open, ...party }) =>
          open.length === 0
            ? '0'
            : html`<div>${open.map(
                ([kind, count]) =>
                  html`<small><a href="${casesHref(party, kind)}">${kinds[kind]}</a> : ${
                    count
                  }</small>`,
              )}</div>`,
      },
      {
        name: say.balance,
        isNumeric: true,
        cell: ({ balance }) =>
          balance !== undefined &&
          (balance.difference === 0 ? say.equal : money(balance.difference)),
      },
      {
        name: say.mapping,
        cell: (party) =>
          html`<a href="/dashboard/ops/recon/mappings/${nameOf(party)}">${say.change}</a>`,
      },
    ],
    { caption: say.providers },
  )
}

function statementLink({ id, name }: Statement): Html {
  return html`<a href="/dashboard/ops/recon/statements/${id}"><bdi>${name}</bdi></a>`
}

function casesHref(party: Party, kind: CaseKind): string {
  return `/dashboard/ops/recon/cases?state=unclosed&provider=${nameOf(party)}&kind=${kind}`
}

function matchedShare({ language }: OpsVisit, { state, matched, lines, known }: Statement): string {
  const compared = lines - known
  if (state !== 'read' || compared === 0) return '–'
  // Rounded down: a hundred per cent means all of them.
  return percentText(language, Math.floor((1000 * matched) / compared))
}

function statementTable(visit: OpsVisit, rows: Statement[]): Html {
  const { language } = visit
  const say = words[language]
  const { provider, file, state, statementStates } = reconWords[language]
  return table(
    rows,
    [
      {
        name: file,
        isTitle: true,
        cell: statementLink,
      },
      { name: provider, cell: (one) => partyWord(language, one) },
      {
        name: say.end,
        cell: ({ toAt, ...party }) => toAt !== null && moment(inParty(visit, party), toAt),
      },
      { name: state, cell: (one) => statementStates[one.state] },
      { name: say.lines, isNumeric: true, cell: ({ lines }) => lines },
      { name: say.matched, isNumeric: true, cell: (one) => matchedShare(visit, one) },
      { name: say.found, isNumeric: true, cell: ({ cases }) => cases },
      { name: say.by, cell: ({ importedBy }) => html`<bdi>${importedBy}</bdi>` },
    ],
    { caption: say.list },
  )
}

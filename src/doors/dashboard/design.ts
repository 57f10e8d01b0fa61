import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { transactionStatuses } from '#money/transactions/transaction.ts'
import {
  copyButton,
  empty,
  facts,
  figure,
  moment,
  money,
  shortId,
  status,
  tabs,
  tile,
} from './frame/components.ts'
import { checkbox, field } from './frame/fields.ts'
import type { Pages } from './frame/pages.ts'
import { table } from './frame/table.ts'
import { chips, fileLink, filterFold, moreMenu, searchForm, toolbar } from './frame/toolbar.ts'
import type { Visit } from './frame/visit.ts'

const words = inBoth({
  fr: {
    title: fr`Éléments des pages`,
    about: fr`Tout ce dont les pages du tableau de bord sont faites. Rien ici ne fait quoi que ce
      soit.`,
    type: 'Lettres et chiffres',
    colours: 'Couleurs',
    figures: 'Chiffres',
    lists: 'Listes',
    forms: 'Formulaires',
    told: 'Messages',
    facts: 'Fiches',
    text: fr`Le texte se lit sur une ligne de base commune, les chiffres en colonnes.`,
    first: 'Premier',
    second: 'Deuxième',
    danger: fr`Supprimer`,
    name: 'Nom',
    amount: 'Montant',
    date: 'Date',
    file: 'Fichier',
    state: fr`État`,
    note: 'Remarque',
    agreed: fr`J'ai vérifié`,
    wrong: fr`Écrivez un nombre entier.`,
    none: fr`Aucune ligne pour le moment.`,
    more: fr`Ce qui est replié`,
    file1: 'Exporter en CSV',
  },
  en: {
    title: 'Components of the pages',
    about: 'All that the pages of the dashboard are made of. Nothing here does anything.',
    type: 'Letters and figures',
    colours: 'Colours',
    figures: 'Figures',
    lists: 'Lists',
    forms: 'Forms',
    told: 'Messages',
    facts: 'Records',
    text: 'Text stands on a common baseline, figures in columns.',
    first: 'First',
    second: 'Second',
    danger: 'Delete',
    name: 'Name',
    amount: 'Amount',
    date: 'Date',
    file: 'File',
    state: 'State',
    note: 'Note',
    agreed: 'I have checked it',
    wrong: 'Write a whole number.',
    none: 'No rows yet.',
    more: 'What is folded',
    file1: 'Export as CSV',
  },
})

const colours = 'paper card hover line edge soft ink main tint bad bad-tint calm calm-tint'.split(
  ' ',
)
const amounts = [1_234_567_890, 415_175, -25_500, 0]

/** GET /dashboard/design: every component, for those who change these pages; 404 in live mode. */
export default function design(pages: Pages): void {
  pages.screen('/dashboard/design', 'developer.read', (visit) => {
    if (!visit.isSandbox) return undefined
    const say = words[visit.language]
    return {
      title: say.title,
      section: 'developers',
      body: html`<div class="head"><h1>${say.title}</h1></div><p>${say.about}</p>
<div class="columns"><section class="card"><h2>${say.type}</h2><p class="large">${figure(
        415_175,
      )}</p>
<p>${say.text}</p><p class="hint">${say.text}</p><p><code>CMD-2026-4101</code></p></section>
<section class="card"><h2>${say.colours}</h2><ul class="chips">${colours.map(
        (one) => html`<li><svg viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24"
 rx="6" fill="var(--${one})" stroke="var(--edge)"/></svg> ${one}</li>`,
      )}</ul></section></div>
<h2>${say.figures}</h2>${tiles(visit)}
<h2>${say.lists}</h2>${lists(visit)}
<div class="columns">${forms(visit)}<div class="stack">${records(visit)}</div></div>
<h2>${say.told}</h2>${['', 'good', 'bad'].map(
        (tone) => html`<p class="notice ${tone}">${say.text}</p>`,
      )}
${empty(say.none, { href: visit.path, text: say.first })}`,
    }
  })
}

function tiles({ language }: Visit): Html {
  const { amount, text } = words[language]
  return html`<dl class="tiles">${amounts.map((one) => tile(amount, figure(one), [text]))}</dl>`
}

function lists(visit: Visit): Html {
  const { language, path } = visit
  const say = words[language]
  const fields = [field({ name: 'of', label: say.date, type: 'date' })]
  return html`${tabs(
    say.lists,
    [say.first, say.second].map((text, index) => ({ href: path, text, isCurrent: index === 0 })),
  )}
${toolbar(
  searchForm(visit, { hint: say.name, value: '' }),
  filterFold(visit, { fields, count: 1, problems: {} }),
  chips([{ href: path, text: say.first, isCurrent: true }]),
  moreMenu(visit, [{ name: say.file, entries: [fileLink(path, say.file1)] }]),
)}
${table(
  transactionStatuses.map((state, index) => ({ state, amount: amounts[index] ?? 0 })),
  [
    { name: say.name, isTitle: true, cell: () => html`<a href="${path}">${say.first}</a>` },
    { key: 'moment', name: say.date, cell: () => moment(visit, visit.now) },
    { name: say.note, cell: () => shortId(language, '01a1f61b-55c8-795c-9c68') },
    { key: 'amount', name: say.amount, isNumeric: true, cell: (row) => money(row.amount) },
    { key: 'status', name: say.state, cell: ({ state }) => status(language, state) },
  ],
  { caption: say.lists, isBrief: true },
)}`
}

function forms({ language, path }: Visit): Html {
  const say = words[language]
  const options: [string, string][] = [
    ['1', say.first],
    ['2', say.second],
  ]
  // Not the first: that would take the focus.
  const problems = { '': say.text, amount: say.wrong }
  return html`<form class="card" method="get" action="${path}"><h2>${say.forms}</h2>
${field({ name: 'name', label: say.name, hint: say.text })}
${field({ name: 'amount', label: say.amount, value: '1,5' }, problems)}
${field({ name: 'state', label: say.state, options })}
${field({ name: 'date', label: say.date, type: 'date' })}
${field({ name: 'file', label: say.file, type: 'file' })}
${field({ name: 'note', label: say.note, rows: 2 })}
${checkbox('agreed', say.agreed, true)}
<p class="ways"><button>${say.first}</button><button class="second">${say.second}</button>
<button class="danger">${say.danger}</button>${copyButton(language, say.first)}</p></form>`
}

function records(visit: Visit): Html {
  const say = words[visit.language]
  return html`<section class="card"><h2>${say.facts}</h2>${facts([
    [say.name, say.first],
    [say.amount, money(415_175)],
    [say.date, moment(visit, visit.now)],
    [say.state, status(visit.language, 'PROCESSING')],
  ])}</section>
<section class="card"><progress max="10" value="7" aria-label="${say.state}"></progress></section>
<details class="card fold"><summary>${say.more}</summary><p>${say.text}</p></details>`
}

import { type LineProblem, sentenceOf as problemSentence } from '#backoffice/recon/import/import.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { facts, money, phone } from '#doors/dashboard/frame/components.ts'
import { table } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { sentenceOf } from '#doors/dashboard/frame/words.ts'
import type { StatementPreview } from '#formats/statements/preview.ts'
import type { StatementLine } from '#formats/statements/statement.ts'
import { fieldWord } from './mapping-fields.ts'
import { toldAt } from './parties.ts'
import { reconWords } from './words.ts'

const words = inBoth({
  fr: {
    understood: 'Ce qui est compris',
    format: 'Format',
    opening: fr`Solde d'ouverture`,
    closing: fr`Solde de clôture`,
    columns: 'Colonnes',
    title: fr`Titre dans le fichier`,
    meaning: 'Lu comme',
    example: 'Exemple',
    unused: fr`pas utilisée`,
    first: fr`Premières lignes, telles que comprises`,
    noLines: fr`Aucune ligne n'est comprise.`,
    problems: fr`Problèmes, par ligne`,
    found: fr`Parmi les 1 000 premières lignes. L'import les trouve tous, et n'importe rien tant
      qu'il en reste.`,
    skipped: fr`Lignes laissées de côté`,
    what: 'Ce qui ne va pas',
    undecided: fr`À décider avant de garder cette lecture`,
  },
  en: {
    understood: 'What is understood',
    format: 'Format',
    opening: 'Opening balance',
    closing: 'Closing balance',
    columns: 'Columns',
    title: 'Title in the file',
    meaning: 'Read as',
    example: 'Example',
    unused: 'not used',
    first: 'First lines, as they are understood',
    noLines: 'No line is understood.',
    problems: 'Problems, by line',
    found:
      'Among the first 1,000 lines. The import finds all, and imports nothing while any is left.',
    skipped: 'Lines skipped',
    what: 'What is wrong',
    undecided: 'To decide before this reading is kept',
  },
})

/** What is understood of a file: its columns, its first lines, and all that is wrong with them. */
export function previewParts(visit: OpsVisit, preview: StatementPreview): Html {
  const { language } = visit
  const say = words[language]
  const { format, opening, closing, columns, lines, problems, skipped, undecided } = preview
  return html`${problems.length > 0 && problemTable(visit, problems, say.found)}
${
  undecided.length > 0 &&
  html`<div class="notice"><p><b>${say.undecided}</b></p><ul>${undecided.map(
    (one) => html`<li>${sentenceOf(one, language)}</li>`,
  )}</ul></div>`
}
<section class="card"><h2>${say.understood}</h2>${facts([
    [say.format, format],
    [say.opening, opening !== null && money(opening)],
    [say.closing, closing !== null && money(closing)],
  ])}
${
  columns.length > 0 &&
  table(
    columns,
    [
      {
        name: say.title,
        isTitle: true,
        cell: ({ letter, title }) => html`<bdi>${title === '' ? letter : title}</bdi>`,
      },
      {
        name: say.meaning,
        cell: ({ meaning }) => (meaning === null ? say.unused : fieldWord(language, meaning)),
      },
      { name: say.example, cell: ({ example }) => html`<bdi>${example}</bdi>` },
    ],
    { caption: say.columns },
  )
}</section>
<h2>${say.first}</h2>
${lines.length === 0 ? html`<p class="hint">${say.noLines}</p>` : lineTable(visit, lines)}
${
  skipped.length > 0 &&
  html`<details><summary>${say.skipped} : ${skipped.length}</summary><ul>${skipped.map(
    (one) => html`<li>${sentenceOf(problemSentence(one), language)}</li>`,
  )}</ul></details>`
}`
}

function lineTable(visit: OpsVisit, lines: StatementLine[]): Html {
  const { language } = visit
  const say = reconWords[language]
  return table(
    lines,
    [
      { name: say.line, cell: ({ line }) => line },
      { name: say.when, cell: ({ at, isDay }) => toldAt(visit, at, isDay) },
      { name: say.kind, isTitle: true, cell: ({ kind }) => say.lineKinds[kind] },
      {
        name: say.amount,
        isNumeric: true,
        cell: ({ amount, sign }) => money(sign * amount),
      },
      { name: say.fee, isNumeric: true, cell: ({ fee }) => money(fee) },
      { name: say.result, cell: ({ status }) => say.results[status] },
      {
        name: say.references,
        cell: ({ reference, ourReference }) =>
          html`<div><bdi>${reference}</bdi><small><bdi>${ourReference}</bdi></small></div>`,
      },
      { name: say.number, cell: (one) => html`<bdi>${phone(visit, one.phone)}</bdi>` },
    ],
    { caption: words[language].first },
  )
}

/** What is wrong with lines of a file. */
export function problemTable(visit: OpsVisit, problems: LineProblem[], hint: Piece): Html {
  const { language } = visit
  const say = words[language]
  return html`<section class="card"><h2>${say.problems}</h2><p class="hint">${hint}</p>${table(
    problems,
    [
      {
        name: reconWords[language].line,
        isTitle: true,
        cell: ({ line }) => (line === 0 ? '–' : line),
      },
      {
        name: say.what,
        cell: ({ line, reason: { text, values } }) =>
          html`<bdi>${sentenceOf({ text, values: { line, ...values } }, language)}</bdi>`,
      },
    ],
    { caption: say.problems },
  )}</section>`
}

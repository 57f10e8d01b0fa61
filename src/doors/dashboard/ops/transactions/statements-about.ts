import type { Case } from '#backoffice/recon/cases/case.ts'
import type { StoredLine } from '#backoffice/recon/import/statement.ts'
import { html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { table } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { sideCell, sideOf } from '../recon/sides.ts'
import { caseState, reconWords } from '../recon/words.ts'

const words = inBoth({
  fr: { title: fr`Dans les relevés du prestataire` },
  en: { title: 'In provider statements' },
})

/** What statements say of a transaction, and how that differs; nothing, if they say nothing. */
export function statementsAbout(
  visit: OpsVisit,
  { lines, cases }: { lines: StoredLine[]; cases: Case[] },
): Piece {
  if (lines.length === 0 && cases.length === 0) return null
  const { language } = visit
  const { title } = words[language]
  const say = reconWords[language]
  const root = '/dashboard/ops/recon'
  return html`<section class="card"><h2>${title}</h2>${
    lines.length > 0 &&
    table(
      lines,
      [
        {
          name: say.line,
          isTitle: true,
          cell: ({ statementId, line, kind }) =>
            html`<div><a href="${root}/statements/${statementId}">${say.line} ${line}</a>
<small>${say.lineKinds[kind]}</small></div>`,
        },
        { name: say.theirs, cell: (one) => sideCell(visit, sideOf(one)) },
      ],
      { caption: title },
    )
  }${
    cases.length > 0 &&
    html`<ul>${cases.map(
      (one) =>
        html`<li><a href="${root}/cases/${one.id}">${say.kinds[one.kind]}</a>
${caseState(language, one)}</li>`,
    )}</ul>`
  }</section>`
}

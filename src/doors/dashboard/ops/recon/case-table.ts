import type { Case } from '#backoffice/recon/cases/case.ts'
import { type Html, html } from '#base/kit/html.ts'
import { moment, money, phone } from '#doors/dashboard/frame/components.ts'
import { table } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { ClientNames } from '#merchants/clients/open.ts'
import { caseWords } from './cases/words.ts'
import { inParty, partyWord, toldAt } from './parties.ts'
import { caseState, reconWords } from './words.ts'

/** Differences, and what each is about. */
export function caseTable(visit: OpsVisit, rows: Case[], clients: ClientNames): Html {
  const { language } = visit
  const say = reconWords[language]
  return table(
    rows,
    [
      {
        name: say.difference,
        isTitle: true,
        cell: ({ id, kind, details: { theirs, ours } }) =>
          html`<div><a href="/dashboard/ops/recon/cases/${id}">${say.kinds[kind]}</a><small><bdi>${
            theirs?.reference ?? ours?.reference
          }</bdi></small></div>`,
      },
      { name: say.state, cell: (one) => caseState(language, one) },
      {
        name: caseWords[language].stake,
        isNumeric: true,
        cell: ({ amount }) => money(amount),
      },
      {
        name: say.number,
        cell: ({ details: { theirs, ours } }) =>
          html`<bdi>${phone(visit, theirs?.phone || ours?.phone || null)}</bdi>`,
      },
      {
        name: caseWords[language].client,
        cell: ({ clientId }) => clientId !== null && html`<bdi>${clients.get(clientId)}</bdi>`,
      },
      {
        name: say.when,
        cell: ({ details: { theirs, ours }, ...party }) => {
          const { at, isDay } = theirs ?? ours ?? {}
          return at !== undefined && toldAt(inParty(visit, party), new Date(at), isDay)
        },
      },
      {
        name: say.file,
        cell: ({ statementId, statementName, line, ...party }) =>
          html`<div><a href="/dashboard/ops/recon/statements/${statementId}"><bdi>${
            statementName
          }</bdi></a>${line !== null && html`<small>${say.line} ${line}</small>`}<small>${partyWord(
            language,
            party,
          )}</small></div>`,
      },
      {
        name: say.opened,
        cell: ({ openedAt, person, ...party }) =>
          html`<div>${moment(inParty(visit, party), openedAt)}
<small><bdi>${person ?? ''}</bdi></small></div>`,
      },
    ],
    { caption: caseWords[language].all },
  )
}

import { html } from '../../kit/html.ts'
import { isUuid } from '../../kit/ids.ts'
import { fr } from '../../pages/typography.ts'
import type { AccountRow } from '../../reports/ledger-store.ts'
import type { DashboardContext } from '../context.ts'
import { money } from '../frame/components.ts'
import type { Pages } from '../frame/pages.ts'
import type { Column } from '../frame/table.ts'
import { pager, table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { inBoth } from '../frame/words.ts'
import { accountHref, accountWord, ledgerWords, postingHref, shortHash } from './ledger/parts.ts'

const words = inBoth({
  fr: {
    about: fr`Chaque écriture d'un compte de marchand porte l'empreinte de celle d'avant : rien ne
      peut être changé ou enlevé sans que cela se voie.`,
    search: fr`Identifiant d'une écriture`,
    go: 'Ouvrir',
    unknown: fr`Écrivez l'identifiant entier d'une écriture.`,
    client: 'Marchand',
    balance: 'Solde',
    entries: fr`Écritures`,
    anchored: fr`Ancrées`,
    head: fr`Dernière empreinte`,
  },
  en: {
    about:
      'Each entry of a merchant’s account carries the hash of the one before: ' +
      'nothing can be changed or taken out without being seen.',
    search: 'Id of a posting',
    go: 'Open',
    unknown: 'Write the whole id of a posting.',
    client: 'Client',
    balance: 'Balance',
    entries: 'Entries',
    anchored: 'Anchored',
    head: 'Last hash',
  },
})

const clientsPerPage = 25

/** GET /dashboard/ops/ledger: the accounts of merchants, and the way to a posting */
export default function ledger(pages: Pages, { reports }: DashboardContext): void {
  pages.screen('/dashboard/ops/ledger', 'ops.read', async (visit) => {
    const say = { ...ledgerWords[visit.language], ...words[visit.language] }
    const { after = '', posting = '' } = visit.query
    const wanted = posting.trim().toLowerCase()
    const afterClient = /^\d{1,9}$/.test(after) ? Number(after) : 0
    const found = await reports.ledger.accounts(afterClient, clientsPerPage + 1)
    const ids = [...new Set(found.map(({ clientId }) => clientId))].slice(0, clientsPerPage)
    const rows = found.filter(({ clientId }) => ids.includes(clientId))
    const next = rows.length < found.length ? String(ids.at(-1)) : null
    return {
      title: say.ledger,
      section: 'ledger',
      body: html`<div class="head"><h1>${say.ledger}</h1><p class="ways"><a class="button second"
 href="/dashboard/ops/proof">${say.proof}</a></p></div>
<p class="hint">${say.about}</p>
<form class="search" method="get" action="/dashboard/ops/ledger" role="search">
<label class="unseen" for="posting">${say.search}</label>
<input id="posting" name="posting" type="search" value="${posting}" placeholder="${say.search}"
 maxlength="128"><button>${say.go}</button></form>
${
  wanted !== '' &&
  (isUuid(wanted)
    ? html`<p class="notice"><a href="${postingHref(wanted)}">${say.posting} ${wanted}</a></p>`
    : html`<p class="notice bad">${say.unknown}</p>`)
}
${table(rows, columnsFor(visit), { caption: say.ledger })}
${pager(visit, next, { isAscending: true })}`,
    }
  })
}

function columnsFor({ language }: OpsVisit): Column<AccountRow>[] {
  const say = { ...ledgerWords[language], ...words[language] }
  return [
    {
      name: say.account,
      isTitle: true,
      cell: ({ clientId, kind, clientName }) =>
        html`<a href="${accountHref(clientId, kind)}">${accountWord(
          language,
          kind,
        )}<span class="unseen"> ${clientName}</span></a>`,
    },
    {
      name: say.client,
      cell: ({ clientId, clientName }) => html`<bdi>${clientName}</bdi> (${clientId})`,
    },
    { name: say.balance, isNumeric: true, cell: ({ balance }) => money(balance) },
    { name: say.entries, isNumeric: true, cell: ({ version }) => version },
    { name: say.anchored, isNumeric: true, cell: ({ anchoredVersion }) => anchoredVersion },
    { name: say.head, cell: ({ head }) => shortHash(language, head) },
  ]
}

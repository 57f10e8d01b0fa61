import { findClient } from '../../../../clients/store.ts'
import type { Piece } from '../../../../kit/html.ts'
import { html } from '../../../../kit/html.ts'
import { isUuid } from '../../../../kit/ids.ts'
import { fr } from '../../../../pages/typography.ts'
import type { ShownEntry } from '../../../../reports/ledger.ts'
import type { DashboardContext } from '../../../context.ts'
import { copyButton, facts, moment, money } from '../../../frame/components.ts'
import type { Pages } from '../../../frame/pages.ts'
import type { Column } from '../../../frame/table.ts'
import { table } from '../../../frame/table.ts'
import type { OpsVisit } from '../../../frame/visit.ts'
import { inBoth } from '../../../frame/words.ts'
import { postingKinds } from '../../../transactions/money-moved.ts'
import { accountWay, ledgerWords, lineAmount, postingHref, shortHash, verdict } from '../parts.ts'

const words = inBoth({
  fr: {
    client: 'Marchand',
    ref: fr`Référence`,
    id: 'Identifiant',
    resolves: fr`Termine la retenue`,
    digest: fr`Empreinte de l'écriture`,
    sum: fr`Somme des lignes`,
    lines: 'Lignes',
  },
  en: {
    client: 'Client',
    ref: 'Reference',
    id: 'Id',
    resolves: 'Ends the hold',
    digest: 'Digest of the posting',
    sum: 'Sum of the lines',
    lines: 'Lines',
  },
})

/** GET /dashboard/ops/ledger/postings/:id: its lines, its digest and the transaction it is for */
export default function posting(pages: Pages, { db, reports }: DashboardContext): void {
  pages.screen('/dashboard/ops/ledger/postings/:id', 'ops.read', async (visit) => {
    const id = visit.part('id')
    const found = isUuid(id) ? await reports.ledger.posting(id) : undefined
    if (found === undefined) return undefined
    const { posting: one, entries } = found
    const { language } = visit
    const say = { ...ledgerWords[language], ...words[language] }
    const client = await findClient(db, one.clientId)
    const kind = postingKinds[language][one.kind] ?? one.kind
    const { transactionId, resolves } = one
    return {
      title: `${say.posting} · ${kind}`,
      section: 'ledger',
      body: html`<p><a href="/dashboard/ops/ledger">${say.ledger}</a></p>
<div class="head"><h1>${say.posting} · ${kind}</h1></div>
<section class="card">${facts([
        [say.client, html`<bdi>${client?.name}</bdi> (${one.clientId})`],
        [say.when, moment(visit, one.createdAt)],
        [say.id, html`<code>${id}</code>${copyButton(language, id)}`],
        [say.ref, html`<code><bdi>${one.ref}</bdi></code>`],
        [
          say.transaction,
          transactionId !== null &&
            html`<a href="/dashboard/ops/transactions/${transactionId}">${transactionId}</a>`,
        ],
        [
          say.resolves,
          resolves !== null && html`<a href="${postingHref(resolves)}">${resolves}</a>`,
        ],
        [say.sum, sumOf(entries)],
        [say.digest, html`<code>${one.digest}</code>${copyButton(language, one.digest)}`],
        [say.check, verdict(language, one.isIntact)],
      ])}</section>
<section class="card"><h2>${say.lines}</h2>${table(entries, columnsFor(visit, one.clientId), {
        caption: say.lines,
      })}</section>`,
    }
  })
}

/** 0 in each currency, or the posting does not balance. */
function sumOf(entries: ShownEntry[]): Piece {
  const byCurrency = Map.groupBy(entries, ({ currency }) => currency)
  return [...byCurrency].map(([currency, lines]) => {
    const amount = lines.reduce((sum, line) => sum + line.amount, 0)
    return html`${lineAmount({ amount, currency })} `
  })
}

function columnsFor(visit: OpsVisit, clientId: number): Column<ShownEntry>[] {
  const { language } = visit
  const say = ledgerWords[language]
  return [
    {
      name: say.account,
      isTitle: true,
      cell: ({ account }) => accountWay(visit, clientId, account),
    },
    { name: say.amount, isNumeric: true, cell: lineAmount },
    { name: say.before, isNumeric: true, cell: ({ before }) => before !== null && money(before) },
    { name: say.after, isNumeric: true, cell: ({ after }) => after !== null && money(after) },
    { name: say.version, isNumeric: true, cell: ({ version }) => version },
    { name: say.previous, cell: ({ previous }) => shortHash(language, previous) },
    { name: say.hash, cell: ({ hash }) => shortHash(language, hash) },
    { name: say.check, cell: ({ isLinked }) => verdict(language, isLinked) },
  ]
}

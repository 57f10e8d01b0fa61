import { findClient } from '../../../../clients/store.ts'
import type { Html } from '../../../../kit/html.ts'
import { html } from '../../../../kit/html.ts'
import { isUuid } from '../../../../kit/ids.ts'
import { fr } from '../../../../pages/typography.ts'
import type { ShownEntry } from '../../../../reports/ledger.ts'
import { isChained } from '../../../../reports/ledger.ts'
import type { DashboardContext } from '../../../context.ts'
import { empty, idLink, moment, money } from '../../../frame/components.ts'
import type { Pages } from '../../../frame/pages.ts'
import type { Column } from '../../../frame/table.ts'
import { pager, table } from '../../../frame/table.ts'
import type { OpsVisit } from '../../../frame/visit.ts'
import { inBoth } from '../../../frame/words.ts'
import { postingKinds } from '../../../transactions/money-moved.ts'
import { accountWord, ledgerWords, lineAmount, postingHref, verdict } from '../parts.ts'

const words = inBoth({
  fr: {
    none: fr`Aucune écriture.`,
    nothingHere: fr`Rien dans cette partie de l'historique. Il en reste de plus anciennes.`,
    unchained: fr`Ce compte n'est pas à un marchand : il n'a ni solde ni empreintes. Ses écritures
      chez ce marchand sont affichées.`,
    chained: fr`Les empreintes de cette page ont été recalculées à l'instant.`,
    broken: fr`Une écriture de cette page a été changée en dehors de la passerelle. Vérifiez tout
      le grand livre et gardez la base de données telle qu'elle est.`,
  },
  en: {
    none: 'No entry.',
    nothingHere: 'Nothing in this part of the history. There are older ones.',
    unchained:
      'This account is no merchant’s: it has neither a balance nor hashes. ' +
      'Its entries with this client are shown.',
    chained: 'The hashes on this page were recomputed just now.',
    broken:
      'An entry on this page was changed outside of the gateway. ' +
      'Prove the whole ledger, and keep the database as it is.',
  },
})

const rowsPerPage = 25

/** GET /dashboard/ops/ledger/:client/:account: its entries, each with its link of the chain */
export default function account(pages: Pages, { db, reports }: DashboardContext): void {
  pages.screen('/dashboard/ops/ledger/:client/:account', 'ops.read', async (visit) => {
    const number = visit.part('client')
    const client = /^\d{1,9}$/.test(number) ? await findClient(db, Number(number)) : undefined
    if (client === undefined) return undefined
    const name = visit.part('account')
    const order = { clientId: client.id, account: name, after: readAfter(visit, name) }
    const { entries, next } = await reports.ledger.entries({ ...order, limit: rowsPerPage })
    const word = accountWord(visit.language, name)
    const say = { ...ledgerWords[visit.language], ...words[visit.language] }
    const isBroken = entries.some((one) => one.isLinked === false || !one.posting.isIntact)
    return {
      title: `${word} · ${client.name}`,
      section: 'ledger',
      body: html`<p><a href="/dashboard/ops/ledger">${say.ledger}</a></p>
<div class="head"><h1>${word} · <bdi>${client.name}</bdi></h1><p class="ways"><a
 class="button second" href="/dashboard/ops/proof">${say.proof}</a></p></div>
${isBroken && html`<p class="notice bad" role="alert">${say.broken}</p>`}
<p class="hint">${isChained(name) ? say.chained : say.unchained}</p>
${
  entries.length === 0
    ? empty(next === null ? say.none : say.nothingHere)
    : table(entries, columnsFor(visit, isChained(name)), { caption: word })
}
${pager(visit, next)}`,
    }
  })
}

function readAfter({ query }: OpsVisit, account: string): string | null {
  const { after = '' } = query
  const isRight = isChained(account) ? /^\d{1,15}$/.test(after) : isUuid(after)
  return isRight ? after : null
}

function columnsFor(visit: OpsVisit, isInChain: boolean): Column<ShownEntry>[] {
  const { language } = visit
  const say = ledgerWords[language]
  const chain: Column<ShownEntry>[] = [
    { name: say.before, isNumeric: true, cell: ({ before }) => before !== null && money(before) },
    { name: say.after, isNumeric: true, cell: ({ after }) => after !== null && money(after) },
  ]
  return [
    { name: say.posting, isTitle: true, cell: (one) => postingWay(visit, one) },
    { name: say.when, cell: ({ posting }) => moment(visit, posting.createdAt) },
    { name: say.amount, isNumeric: true, cell: lineAmount },
    ...(isInChain ? chain : []),
    {
      name: say.check,
      cell: (one) =>
        html`<div>${verdict(language, one.posting.isIntact && one.isLinked !== false)}${
          isInChain && hashes(one)
        }</div>`,
    },
    {
      name: say.transaction,
      cell: ({ posting: { transactionId: id } }) =>
        id !== null && idLink(`/dashboard/ops/transactions/${id}`, id),
    },
  ]
}

/** The hash before an entry's and its own; the posting's page has them to be copied. */
function hashes({ previous, hash }: ShownEntry): Html {
  return html`<small>${short(previous)} → ${short(hash)}</small>`
}

function short(hash: string | null): Html {
  return html`<code title="${hash}">${hash?.slice(0, 8) ?? '?'}…</code>`
}

function postingWay({ language }: OpsVisit, { version, postingId, posting }: ShownEntry): Html {
  const kind = postingKinds[language][posting.kind] ?? posting.kind
  const text = version === null ? kind : `${version} · ${kind}`
  return html`<a href="${postingHref(postingId)}">${text}</a>`
}

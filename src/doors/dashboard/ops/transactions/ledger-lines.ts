import type { Detail } from '#backoffice/reports/detail.ts'
import type { LedgerLine } from '#backoffice/reports/detail-store.ts'
import { type Html, html } from '#base/kit/html.ts'
import { formatCount } from '#base/kit/money.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { instant, money } from '#doors/dashboard/frame/components.ts'
import { table } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { postingKinds } from '#doors/dashboard/transactions/money-moved.ts'
import { accountWord } from '../account-words.ts'

const words = inBoth({
  fr: {
    title: fr`Écritures du grand livre`,
    none: fr`Aucune écriture : aucun argent n'a bougé.`,
    posting: fr`Écriture`,
    account: 'Compte',
    when: 'Date',
    amount: 'Montant',
    before: 'Solde avant',
    after: fr`Solde après`,
  },
  en: {
    title: 'Ledger entries',
    none: 'No entries: no money has moved.',
    posting: 'Posting',
    account: 'Account',
    when: 'Date',
    amount: 'Amount',
    before: 'Balance before',
    after: 'Balance after',
  },
})

/** Every line of the ledger that belongs to a transaction. */
export function ledgerLines(visit: OpsVisit, { lines }: Detail): Html {
  const say = words[visit.language]
  const kinds = postingKinds[visit.language]
  if (lines.length === 0)
    return html`<section class="card" id="ledger"><h2>${say.title}</h2>
<p class="hint">${say.none}</p></section>`
  return html`<section class="card" id="ledger"><h2>${say.title}</h2>${table(
    lines,
    [
      {
        name: say.posting,
        isTitle: true,
        cell: ({ postingId, kind }) =>
          html`<span title="${postingId}">${kinds[kind] ?? kind}</span>`,
      },
      { name: say.account, cell: ({ account }) => accountWord(visit.language, account) },
      { name: say.when, cell: ({ at }) => instant(visit, at) },
      { name: say.amount, isNumeric: true, cell: lineAmount },
      {
        name: say.before,
        isNumeric: true,
        cell: ({ before }) => before !== null && money(before),
      },
      { name: say.after, isNumeric: true, cell: ({ after }) => after !== null && money(after) },
    ],
    { caption: say.title },
  )}</section>`
}

/** An amount in its currency; F CFA are not named. */
function lineAmount({ amount, currency }: LedgerLine): Html {
  if (currency === 'XOF') return money(amount)
  const text = `${formatCount(Math.abs(amount))}\u00a0${currency}`
  return html`<span class="money">${amount < 0 && '\u2212'}${text}</span>`
}

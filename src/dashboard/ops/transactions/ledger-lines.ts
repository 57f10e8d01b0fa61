import type { Html } from '../../../kit/html.ts'
import { html } from '../../../kit/html.ts'
import { fr } from '../../../pages/typography.ts'
import type { Detail } from '../../../reports/detail.ts'
import { moment, money } from '../../frame/components.ts'
import { table } from '../../frame/table.ts'
import type { OpsVisit } from '../../frame/visit.ts'
import { inBoth } from '../../frame/words.ts'
import { postingKinds } from '../../transactions/money-moved.ts'
import { accountWay, ledgerWords, postingHref } from '../ledger/parts.ts'

const words = inBoth({
  fr: { title: fr`Écritures du grand livre`, none: fr`Aucune écriture : aucun argent n'a bougé.` },
  en: { title: 'Entries in the ledger', none: 'No entry: no money has moved.' },
})

/** Every line of the ledger that belongs to a transaction, with ways to its posting and account. */
export function ledgerLines(visit: OpsVisit, { transaction, lines }: Detail): Html {
  const { title, none } = words[visit.language]
  const say = ledgerWords[visit.language]
  const kinds = postingKinds[visit.language]
  const { clientId } = transaction
  if (lines.length === 0)
    return html`<section class="card" id="ledger"><h2>${title}</h2>
<p class="hint">${none}</p></section>`
  return html`<section class="card" id="ledger"><h2>${title}</h2>${table(
    lines,
    [
      {
        name: say.posting,
        isTitle: true,
        cell: ({ postingId, kind }) =>
          html`<a href="${postingHref(postingId)}">${kinds[kind] ?? kind}</a>`,
      },
      { name: say.account, cell: ({ account }) => accountWay(visit, clientId, account) },
      { name: say.when, cell: ({ at }) => moment(visit, at) },
      { name: say.amount, isNumeric: true, cell: ({ amount }) => money(amount) },
      {
        name: say.before,
        isNumeric: true,
        cell: ({ before }) => before !== null && money(before),
      },
      { name: say.after, isNumeric: true, cell: ({ after }) => after !== null && money(after) },
    ],
    { caption: title },
  )}</section>`
}

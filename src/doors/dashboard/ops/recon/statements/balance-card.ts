import type { Balance } from '#backoffice/recon/balance/balance.ts'
import type { Statement } from '#backoffice/recon/import/statement.ts'
import { type Html, html } from '#base/kit/html.ts'
import { facts, money } from '#doors/dashboard/frame/components.ts'
import { table } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { words } from './words.ts'

/** What the provider holds for us at the end of a statement, and each part of the difference. */
export function balanceCard({ language }: OpsVisit, one: Statement, balance: Balance): Html {
  const say = words[language]
  const { statement, ledger, difference, parts, source } = balance
  const isEqual = difference === 0 && parts.length === 0
  return html`<section class="card"><h2>${say.balance}</h2>${facts([
    [say.byStatement, money(statement)],
    [say.byLedger, money(ledger)],
    [say.difference, money(difference)],
  ])}
<p class="notice${isEqual && ' good'}">${isEqual ? say.equal : say.differs}</p>
${
  parts.length > 0 &&
  table(
    parts,
    [
      { name: say.part, isTitle: true, cell: ({ name }) => say.parts[name] },
      { name: say.count, isNumeric: true, cell: ({ count }) => count },
      { name: say.difference, isNumeric: true, cell: ({ amount }) => money(amount) },
    ],
    { caption: say.difference },
  )
}
<p class="hint">${say.sources[one.closing === null ? source : 'file']}</p></section>`
}

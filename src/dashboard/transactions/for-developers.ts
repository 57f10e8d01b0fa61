import type { Html } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'
import { fr } from '../../pages/typography.ts'
import type { PayerStep } from '../../providers/contract.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { writeDetailAnswer } from '../../wire/transaction-detail.ts'
import { copyButton } from '../frame/components.ts'
import type { Visit } from '../frame/visit.ts'
import { inBoth } from '../frame/words.ts'
import { masked } from './masked.ts'

const words = inBoth({
  fr: { title: fr`Pour les développeurs`, raw: fr`La réponse de l'interface (JSON)`, curl: 'curl' },
  en: { title: 'For developers', raw: 'The interface’s answer (JSON)', curl: 'curl' },
})

/** The transaction as the interface gives it, and the command that asks for it. */
export function forDevelopers(
  visit: Visit,
  transaction: Transaction,
  { publicUrl, ...shown }: { token: string | null; step: PayerStep; publicUrl: string },
): Html {
  const { title, raw, curl } = words[visit.language]
  const answer = writeDetailAnswer(transaction, shown, visit.language)
  const json = masked(visit, JSON.stringify(answer, null, 2), transaction.phone)
  const command =
    'curl -H "Authorization: Bearer $PASSERELLE_KEY" \\\n' +
    `  ${publicUrl}/api/v1/transaction/${transaction.id}`
  return html`<section class="card"><h2>${title}</h2>
<h3>${curl}${copyButton(visit.language, command)}</h3><pre tabindex="0">${command}</pre>
<details><summary>${raw}</summary><p>${copyButton(visit.language, json)}</p>
<pre tabindex="0">${json}</pre></details></section>`
}

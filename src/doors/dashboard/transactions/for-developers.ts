import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { writeDetailAnswer, writeLinkAsDetail } from '#edge/wire/transaction-detail.ts'
import type { Link } from '#money/links/link.ts'
import type { PayerTask } from '#money/transactions/payer-task.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { copyButton } from '../frame/components.ts'
import type { Visit } from '../frame/visit.ts'
import { masked } from './masked.ts'

const words = inBoth({
  fr: { title: fr`Pour les développeurs`, raw: fr`La réponse de l'API (JSON)`, curl: 'curl' },
  en: { title: 'For developers', raw: 'The API’s answer (JSON)', curl: 'curl' },
})

interface Shown {
  token: string | null
  step: PayerTask
  /** The link that the transaction, or the one it sends back, was begun on. */
  link: Link | undefined
  /** What that link is about now. */
  payment: Transaction | undefined
  publicUrl: string
}

/** The transaction as the interface gives it, and the command that asks for it. */
export function forDevelopers(
  visit: Visit,
  transaction: Transaction,
  { publicUrl, payment, ...shown }: Shown,
): Html {
  const { title, raw, curl } = words[visit.language]
  // The interface knows a payment through a link by the link.
  const link = transaction.linkId === null ? undefined : shown.link
  const answer =
    link === undefined
      ? writeDetailAnswer(transaction, shown, visit.language)
      : writeLinkAsDetail(link, payment, visit.language)
  const json = masked(visit, JSON.stringify(answer, null, 2), transaction.phone)
  const command =
    'curl -H "Authorization: Bearer $PASSERELLE_KEY" \\\n' +
    `  ${publicUrl}/api/v1/transaction/${link?.id ?? transaction.id}`
  return html`<section class="card"><h2>${title}</h2>
<h3>${curl}${copyButton(visit.language, command)}</h3><pre tabindex="0">${command}</pre>
<details><summary>${raw}</summary><p>${copyButton(visit.language, json)}</p>
<pre tabindex="0">${json}</pre></details></section>`
}

import type { Detail } from '#backoffice/reports/detail.ts'
import { type Html, html } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { isTokenMissing } from '#money/transactions/transaction.ts'
import type { DashboardContext } from '../context.ts'
import { money, status, technical } from '../frame/components.ts'
import { tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import type { Visit } from '../frame/visit.ts'
import { eventTold } from './event-told.ts'
import { forDevelopers } from './for-developers.ts'
import { moneyMoved, refundButton, refundList } from './money-moved.ts'
import { shopNames } from './read-shops.ts'
import { signed } from './rows.ts'
import { identifiers, notice, summary, titleOf } from './summary.ts'
import { attempts, timeline } from './timeline.ts'
import { tokenCard } from './token-card.ts'

const words = inBoth({
  fr: {
    back: 'Toutes les transactions',
    receipt: fr`Reçu à imprimer`,
    ask: fr`Vérifier le statut`,
  },
  en: { back: 'All transactions', receipt: 'Receipt to print', ask: 'Check status' },
})

/** GET /dashboard/transactions/:id */
export default function transaction(pages: Pages, context: DashboardContext): void {
  const { links, reports, transactions } = context
  const { publicUrl } = context.config
  pages.screen(
    '/dashboard/transactions/:id',
    'transaction.read',
    async (visit) => {
      const id = visit.part('id')
      if (!isUuid(id)) return undefined
      const detail = await reports.detail({ clientId: visit.client.id, id })
      if (detail === undefined) return undefined
      const one = detail.transaction
      const step = transactions.payerStepOf(one)
      const token = visit.may('token.read') ? transactions.tokenOf(one) : null
      const behind = await links.behind([one])
      const link = behind.get(one.id)
      const payment = link === undefined ? undefined : await links.paymentOf(link)
      const shops = await shopNames(context, visit.client.id)
      return {
        title: titleOf(visit, one),
        section: 'transactions',
        body: html`${head(visit, detail)}
${notice(visit, one)}
${tokenCard(visit, one, token)}
<div class="columns">${summary(visit, detail, { shops, links: behind })}
${timeline(visit, detail)}</div>
${refundList(visit, detail)}
${technical(visit, [
  identifiers(visit, detail),
  moneyMoved(visit, detail),
  attempts(visit, detail),
  eventTold(visit, detail),
  forDevelopers(visit, one, { token, step, link, payment, publicUrl }),
])}`,
      }
    },
    'transaction',
  )
}

function head(visit: Visit, { transaction: one }: Detail): Html {
  const { back, receipt, ask } = words[visit.language]
  const path = `/dashboard/transactions/${one.id}`
  const isOpen = one.completedAt === null || isTokenMissing(one)
  const mayAsk = isOpen && visit.may('transaction.requery')
  return html`<p class="back"><a href="/dashboard/transactions">${back}</a></p>
<div class="head"><div><h1>${titleOf(visit, one)}</h1>
<p class="large">${money(signed(one))} ${status(visit.language, one.status)}</p></div>
<div class="ways">${
    mayAsk &&
    html`<form method="post" action="${path}/requery">${tokenField(visit)}
<button class="second">${ask}</button></form>`
  }${refundButton(visit, one)}
<a class="button second" href="${path}/receipt">${receipt}</a></div></div>`
}

import { html } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { maskPhone } from '#base/sealing/mask-phone.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { facts, moment, money, statusWord } from '#doors/dashboard/frame/components.ts'
import { kindWord, providerWord } from '#doors/dashboard/frame/kinds.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { columnWords, ownReference, someText } from '../rows.ts'

const words = inBoth({
  fr: {
    title: fr`Reçu`,
    notPaid: fr`Ceci n'est pas une preuve de paiement : la transaction n'a pas réussi.`,
    provider: fr`Payé avec`,
    reference: fr`Référence du prestataire`,
    print: 'Imprimer',
    back: fr`Retour à la transaction`,
    refunded: fr`Déjà remboursé`,
  },
  en: {
    title: 'Receipt',
    notPaid: 'This is not a proof of payment: the transaction has not succeeded.',
    provider: 'Paid with',
    reference: 'Provider’s reference',
    print: 'Print',
    back: 'Back to the transaction',
    refunded: 'Refunded so far',
  },
})

/** GET /dashboard/transactions/:id/receipt */
export default function receipt(pages: Pages, { links, transactions }: DashboardContext): void {
  pages.screen('/dashboard/transactions/:id/receipt', 'transaction.read', async (visit) => {
    const { language, client } = visit
    const id = visit.part('id')
    const one = isUuid(id) ? await transactions.findById({ clientId: client.id, id }) : undefined
    if (one === undefined) return undefined
    const behind = await links.behind([one])
    const names = { ...columnWords[language], ...words[language] }
    return {
      title: names.title,
      section: 'transactions',
      body: html`<section class="card receipt">
<h1>${names.title}</h1><p><b><bdi>${one.payeeName}</bdi></b></p>
${one.status !== 'SUCCESS' && html`<p class="notice bad">${names.notPaid}</p>`}
<p class="large">${money(one.amount)}</p>
${facts([
  [names.kind, kindWord(language, one.operation)],
  [names.status, statusWord(language, one.status)],
  [names.provider, providerWord(language, one.serviceCode)],
  // It is given to customers: nobody else shall read their number from it.
  [names.number, maskPhone(one.phone)],
  [names.moment, moment(visit, one.completedAt ?? one.createdAt)],
  [names.item, someText(behind.get(one.id)?.itemName)],
  [names.yours, ownReference(one, behind)],
  [names.ours, html`<code>${one.id}</code>`],
  [names.reference, one.reference],
  [names.refunded, one.refunded > 0 && money(one.refunded)],
])}
<p class="ways"><button type="button" data-print>${names.print}</button>
<a class="button second" href="/dashboard/transactions/${id}">${names.back}</a></p></section>`,
    }
  })
}

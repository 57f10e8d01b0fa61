import { type Html, html } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { formatAmount } from '#base/kit/money.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { maskPhone } from '#base/sealing/mask-phone.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { facts, momentText, statusWord } from '#doors/dashboard/frame/components.ts'
import { takePlace } from '#doors/dashboard/frame/downloads.ts'
import { kindWord, providerWord } from '#doors/dashboard/frame/kinds.ts'
import { letterheadOf } from '#doors/dashboard/frame/letterhead.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { sendFile } from '#doors/dashboard/frame/send-file.ts'
import type { Visit } from '#doors/dashboard/frame/visit.ts'
import { type Letterhead, writePdf } from '#formats/tables/write-pdf.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { shopNames } from '../read-shops.ts'
import { columnWords, ownReference } from '../rows.ts'

const words = inBoth({
  fr: {
    title: fr`Reçu`,
    file: 'recu',
    notPaid: fr`Ceci n'est pas une preuve de paiement : la transaction n'a pas réussi.`,
    provider: fr`Payé avec`,
    reference: fr`Référence du prestataire`,
    print: 'Imprimer',
    save: fr`Enregistrer en PDF`,
    back: fr`Retour à la transaction`,
    refunded: fr`Déjà remboursé`,
  },
  en: {
    title: 'Receipt',
    file: 'receipt',
    notPaid: 'This is not a proof of payment: the transaction has not succeeded.',
    provider: 'Paid with',
    reference: 'Provider’s reference',
    print: 'Print',
    save: 'Save as PDF',
    back: 'Back to the transaction',
    refunded: 'Refunded so far',
  },
})

interface Receipt {
  one: Transaction
  issuer: Letterhead
  lines: [name: string, text: string][]
}

/** GET /dashboard/transactions/:id/receipt, as a page and as a file */
export default function receipt(pages: Pages, context: DashboardContext): void {
  pages.screen('/dashboard/transactions/:id/receipt', 'transaction.read', async (visit) => {
    const found = await readReceipt(context, visit)
    return (
      found && {
        title: words[visit.language].title,
        section: 'transactions',
        body: receiptPage(visit, found),
      }
    )
  })

  pages.answer(
    '/dashboard/transactions/:id/receipt.pdf',
    'transaction.read',
    async (visit, reply) => {
      const found = await readReceipt(context, visit)
      if (found === undefined) return undefined
      takePlace(reply, visit.client.id)
      const { one, issuer, lines } = found
      const { title, file, notPaid } = words[visit.language]
      const pdf = writePdf({
        title,
        language: visit.language,
        issuer,
        subtitles: [
          ...(one.payeeName === issuer.name ? [] : [one.payeeName]),
          ...(one.status === 'SUCCESS' ? [] : [notPaid]),
        ],
        figure: formatAmount(one.amount),
        summary: lines,
        columns: [],
        rows: [],
      })
      return sendFile(reply, `${file}-${one.id}.pdf`, pdf)
    },
  )
}

function receiptPage({ language }: Visit, { one, issuer, lines }: Receipt): Html {
  const say = words[language]
  const path = `/dashboard/transactions/${one.id}`
  return html`<section class="card receipt">
<p><b><bdi>${issuer.name}</bdi></b>${issuer.lines.map((line) => html`<br><bdi>${line}</bdi>`)}</p>
<h1>${say.title}</h1>${
    one.payeeName !== issuer.name && html`<p><b><bdi>${one.payeeName}</bdi></b></p>`
  }
${one.status !== 'SUCCESS' && html`<p class="notice bad">${say.notPaid}</p>`}
<p class="large">${formatAmount(one.amount)}</p>
${facts(lines.map(([name, text]) => [name, html`<bdi>${text}</bdi>`]))}
<p class="ways"><button type="button" data-print>${say.print}</button>
<a class="button second" href="${path}/receipt.pdf" data-turbo="false">${say.save}</a>
<a class="button second" href="${path}">${say.back}</a></p></section>`
}

/** What a receipt says; undefined: there is no such transaction. */
async function readReceipt(context: DashboardContext, visit: Visit): Promise<Receipt | undefined> {
  const { clients, links, transactions } = context
  const { language, client } = visit
  const id = visit.part('id')
  const one = isUuid(id) ? await transactions.findById({ clientId: client.id, id }) : undefined
  if (one === undefined) return undefined
  const behind = await links.behind([one])
  const shops = await shopNames(context, client.id)
  const names = { ...columnWords[language], ...words[language] }
  const { subMerchantId: shop } = one
  const lines: [name: string, text: string | null | undefined][] = [
    [names.item, behind.get(one.id)?.itemName],
    [names.customer, behind.get(one.id)?.customerName],
    [names.shop, shop === null ? null : (shops.get(shop) ?? shop)],
    [names.kind, kindWord(language, one.operation)],
    [names.status, statusWord(language, one.status)],
    [names.provider, providerWord(language, one.serviceCode)],
    // It is given to customers: nobody else shall read their number from it.
    [names.number, maskPhone(one.phone)],
    [names.moment, momentText(visit, one.completedAt ?? one.createdAt)],
    [names.yours, ownReference(one, behind)],
    [names.ours, one.id],
    [names.reference, one.reference],
    [names.refunded, one.refunded > 0 ? formatAmount(one.refunded) : null],
  ]
  return {
    one,
    issuer: await letterheadOf(clients, visit),
    lines: lines.filter((line): line is [string, string] => Boolean(line[1])),
  }
}

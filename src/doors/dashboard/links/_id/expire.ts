import { html } from '#base/kit/html.ts'
import { en, fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { facts, moment, money, moneyFact } from '#doors/dashboard/frame/components.ts'
import { tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { Fact, Reviewed } from '#doors/dashboard/frame/reviewed.ts'
import type { Visit } from '#doors/dashboard/frame/visit.ts'
import { linkStatus } from '#doors/dashboard/links.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import type { Link } from '#money/links/link.ts'

const words = inBoth({
  fr: {
    title: fr`Désactiver ce lien ?`,
    what: fr`Plus personne ne pourra le payer. Cette action est définitive : il faudra créer un
      nouveau lien.`,
    underWay: fr`Un paiement est en cours. S'il réussit, vous recevez l'argent et le lien est
      payé.`,
    ended: fr`Ce lien est déjà terminé.`,
    item: 'Article',
    amount: 'Montant',
    state: fr`État`,
    expires: fr`Expiration prévue`,
    go: 'Désactiver le lien',
    back: 'Retour au lien',
    done: fr`Le lien est désactivé.`,
    doneUnderWay: fr`Aucun autre paiement ne peut commencer. Si celui qui est en cours réussit, le
      lien est payé.`,
  },
  en: {
    title: 'Deactivate this link?',
    what: en`Nobody will be able to pay it any more. This cannot be undone: you will have to
      create a new link.`,
    underWay:
      'A payment is in progress. If it succeeds, you receive the money and the link is paid.',
    ended: 'This link has already ended.',
    item: 'Item',
    amount: 'Amount',
    state: 'State',
    expires: 'Expires on',
    go: 'Deactivate link',
    back: 'Back to the link',
    done: 'The link is deactivated.',
    doneUnderWay: en`No other payment can start. If the one in progress succeeds, the link is
      paid.`,
  },
})

/** GET, POST /dashboard/links/:id/expire */
export default function expireLink(pages: Pages, { links }: DashboardContext): void {
  const path = '/dashboard/links/:id/expire'
  const linkOf = (visit: Visit) => links.find(wholeClient(visit.client.id), visit.part('id'))

  pages.screen(path, 'link.expire', async (visit) => {
    const link = await linkOf(visit)
    return link === undefined ? undefined : review(visit, link)
  })

  const reviewed: Reviewed<Visit, Link> = { find: linkOf, facts: seenOf }
  pages.action(path, { action: 'link.expire', reviewed }, async (visit, _form, link) => {
    const { done, doneUnderWay, ended } = words[visit.language]
    const isOpen = await links.withdraw(link)
    const after = await linkOf(visit)
    const isUnderWay = after !== undefined && after.openId !== null
    const text = isOpen ? (isUnderWay ? doneUnderWay : done) : ended
    return { to: `/dashboard/links/${link.id}`, text }
  })
}

/** What the form shows of a link. */
function seenOf({ language }: Visit, { id, itemName, amount, openId }: Link): Fact[] {
  const say = words[language]
  return [
    { name: 'link', label: say.item, value: id, show: () => html`<bdi>${itemName}</bdi>` },
    moneyFact('amount', say.amount, amount),
    {
      name: 'isUnderWay',
      label: say.state,
      value: openId !== null,
      show: (value) => value === true && say.underWay,
    },
  ]
}

function review(visit: Visit, link: Link) {
  const say = words[visit.language]
  const href = `/dashboard/links/${link.id}`
  const isOpen = link.status === 'PENDING'
  return {
    title: say.title,
    section: 'links' as const,
    body: html`<section class="card narrow"><h1>${say.title}</h1>
<p>${isOpen ? say.what : say.ended}</p>
${link.openId !== null && html`<p class="notice">${say.underWay}</p>`}
${facts([
  [say.item, html`<bdi>${link.itemName}</bdi>`],
  [say.amount, money(link.amount)],
  [say.state, linkStatus(visit, link)],
  [say.expires, isOpen ? moment(visit, link.expiresAt) : null],
])}
${
  isOpen &&
  html`<form method="post" action="${href}/expire">${tokenField(visit, seenOf(visit, link))}
<button class="danger">${say.go}</button></form>`
}
<p><a href="${href}">${say.back}</a></p></section>`,
  }
}

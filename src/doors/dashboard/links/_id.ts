import { type Html, html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { drawQr } from '#edge/pages/qr.ts'
import { failureCodeOf, failureMessage } from '#edge/wire/failure.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import { attemptsMax, type Link } from '#money/links/link.ts'
import { isOpen } from '#money/links/pay.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import type { DashboardContext } from '../context.ts'
import { copyButton, facts, moment, money, phone, status, technical } from '../frame/components.ts'
import { providerWord } from '../frame/kinds.ts'
import type { Pages } from '../frame/pages.ts'
import { table } from '../frame/table.ts'
import type { Visit } from '../frame/visit.ts'
import { linkStatus } from '../links.ts'
import { shareWays } from './share-ways.ts'

const words = inBoth({
  fr: {
    title: 'Lien de paiement',
    all: 'Tous les liens',
    item: 'Article',
    amount: 'Montant',
    shop: fr`Nom montré au client`,
    state: fr`État`,
    tries: 'Tentatives',
    customer: 'Client',
    phone: fr`Numéro du client`,
    email: fr`E-mail du client`,
    reference: fr`Référence`,
    created: fr`Créé`,
    expires: 'Expire',
    ended: fr`Terminé`,
    success: fr`Adresse de retour après paiement`,
    failure: fr`Adresse de retour en cas d'échec`,
    address: 'Adresse du lien',
    scan: fr`Votre client peut aussi scanner ce code avec son téléphone.`,
    print: 'Imprimer',
    like: 'Dupliquer',
    expire: 'Désactiver le lien',
    noTry: fr`Personne n'a encore essayé de payer.`,
    underWay: fr`Un paiement est en cours ; attendez le résultat.`,
    when: 'Moment',
    wallet: 'Avec',
    number: fr`Numéro`,
    why: 'Raison',
  },
  en: {
    title: 'Payment link',
    all: 'All links',
    item: 'Item',
    amount: 'Amount',
    shop: 'Name shown to the customer',
    state: 'State',
    tries: 'Attempts',
    customer: 'Customer',
    phone: 'Customer’s number',
    email: 'Customer’s email address',
    reference: 'Reference',
    created: 'Created',
    expires: 'Expires',
    ended: 'Ended',
    success: 'Return address after payment',
    failure: 'Return address if payment fails',
    address: 'Link address',
    scan: 'Your customer can also scan this code with their phone.',
    print: 'Print',
    like: 'Duplicate',
    expire: 'Deactivate link',
    noTry: 'Nobody has tried to pay yet.',
    underWay: 'A payment is in progress; wait for the result.',
    when: 'Time',
    wallet: 'With',
    number: 'Number',
    why: 'Reason',
  },
})

/** GET /dashboard/links/:id */
export default function link(pages: Pages, { links }: DashboardContext): void {
  pages.screen(
    '/dashboard/links/:id',
    'link.read',
    async (visit) => {
      const found = await links.find(wholeClient(visit.client.id), visit.part('id'))
      if (found === undefined) return undefined
      const tries = await links.triesOf(found)
      const { title, underWay, all } = words[visit.language]
      const isPayable = isOpen(found, visit.now)
      return {
        title: `${title} · ${found.itemName}`,
        section: 'links',
        body: html`<p class="back"><a href="/dashboard/links">${all}</a></p>
<div><p class="large">${money(found.amount)} ${linkStatus(visit, found)}</p>
<h1><bdi>${found.itemName}</bdi></h1></div>
${found.openId !== null && html`<p class="notice">${underWay}</p>`}
<div class="columns">${isPayable && sharing(visit, found, links.shortUrlOf(found))}
<div class="stack screen-only"><section class="card">${known(visit, found)}</section>
${triesTable(visit, tries)}
${technical(visit, [identifiers(visit, found)])}</div></div>
${ways(visit, found)}`,
      }
    },
    'link',
  )
}

function ways(visit: Visit, { id, status: name }: Link): Html {
  const { like, expire } = words[visit.language]
  return html`<p class="ways">${
    visit.may('link.create') &&
    html`<a class="button second" href="/dashboard/links/new?like=${id}">${like}</a>`
  }${
    name === 'PENDING' &&
    visit.may('link.expire') &&
    html`<a class="button danger" href="/dashboard/links/${id}/expire">${expire}</a>`
  }</p>`
}

/** The address as text and code, and the ways to send it; also the sheet that is printed. */
function sharing(visit: Visit, link: Link, url: string): Html {
  const { address, scan, print } = words[visit.language]
  return html`<section class="card share">
<p class="print-only"><b><bdi>${link.payeeName}</bdi></b></p>
<p class="ways">${shareWays(visit, link, url)}${copyButton(visit.language, url)}
<button type="button" class="second scripted" data-print hidden>${print}</button></p>
<figure class="qr">${drawQr(url)}<figcaption class="hint">${scan}</figcaption></figure>
<p class="hint">${address}<br><a href="${url}" rel="noopener" target="_blank">${url}</a></p>
</section>`
}

/** A text of somebody, or nothing. */
function text(one: string | null): Piece {
  return one !== null && one !== '' && html`<bdi>${one}</bdi>`
}

function known(visit: Visit, link: Link): Html {
  const say = words[visit.language]
  return facts(
    (
      [
        [say.shop, text(link.payeeName)],
        [say.tries, `${link.attempts} / ${attemptsMax}`],
        [say.customer, text(link.customerName)],
        [say.phone, text(phone(visit, link.customerPhone))],
        [say.email, text(link.customerEmail)],
        [say.created, moment(visit, link.createdAt)],
        [say.expires, moment(visit, link.expiresAt)],
        [say.ended, link.completedAt !== null && moment(visit, link.completedAt)],
      ] satisfies [string, Piece][]
    ).filter(([, value]) => value !== false),
  )
}

/** What programs know a link by, and where its payer is led. */
function identifiers({ language }: Visit, link: Link): Html {
  const say = words[language]
  return html`<section class="card">${facts([
    [say.reference, html`<code>${link.externalId}</code>${copyButton(language, link.externalId)}`],
    [say.success, text(link.successUrl)],
    [say.failure, text(link.failureUrl)],
  ])}</section>`
}

function triesTable(visit: Visit, tries: Transaction[]): Html {
  const { tries: caption, noTry, when, wallet, number, state, why } = words[visit.language]
  if (tries.length === 0) return html`<p class="hint">${noTry}</p>`
  return html`<h2>${caption}</h2>${table(
    tries,
    [
      {
        name: when,
        isTitle: true,
        cell: ({ id, createdAt }) =>
          html`<a href="/dashboard/transactions/${id}">${moment(visit, createdAt)}</a>`,
      },
      {
        key: 'item',
        name: wallet,
        cell: ({ serviceCode }) => providerWord(visit.language, serviceCode),
      },
      { name: number, cell: (one) => phone(visit, one.phone, one.serviceCode) },
      { key: 'status', name: state, cell: (one) => status(visit.language, one.status) },
      { name: why, cell: (one) => failureMessage(failureCodeOf(one), visit.language) },
    ],
    { caption },
  )}`
}

import { flowsOf, totalsOfTraffic } from '#backoffice/reports/traffic.ts'
import type { Traffic } from '#backoffice/reports/traffic-store.ts'
import type { Backlog } from '#backoffice/webhooks/operate-store.ts'
import { after } from '#base/kit/clock.ts'
import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth, plural } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import {
  facts,
  figure,
  moment,
  money,
  percentText,
  tile,
} from '#doors/dashboard/frame/components.ts'
import { kindWord, providerWord } from '#doors/dashboard/frame/kinds.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { table } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { signed } from '#doors/dashboard/transactions/rows.ts'
import type { Client } from '#merchants/clients/store.ts'
import { errorTable, peopleTable } from './_id/overview-tables.ts'
import { clientOf, clientScreen } from './client-screen.ts'

const words = inBoth({
  fr: {
    available: 'Solde disponible',
    held: fr`en plus, en attente :`,
    day: fr`Encaissé en 24 heures`,
    out: fr`Sorties :`,
    rate: fr`Taux de réussite, 24 heures`,
    ofAll: (succeeded: number, ended: number) => fr`${succeeded} sur ${ended}`,
    count: (ended: number) =>
      `${ended} ${plural.fr(ended, 'opération terminée', 'opérations terminées')}`,
    backlog: 'Webhooks en attente',
    oldest: fr`le plus ancien`,
    lost: (count: number) => fr`${count} abandonnés en 7 jours`,
    transactions: 'Transactions',
    webhooks: 'Webhooks',
    fund: fr`Créditer`,
    withdraw: fr`Retirer`,
    state: fr`Changer l'état`,
    traffic: fr`Trafic des dernières 24 heures`,
    service: 'Service',
    ended: fr`Terminées`,
    success: fr`Taux de réussite`,
    amount: 'Montant',
    quiet: fr`Aucune transaction terminée ces dernières 24 heures.`,
    facts: 'Marchand',
    number: fr`Numéro`,
    created: fr`Créé`,
    perMinute: fr`Requêtes par minute`,
    callback: 'Adresse des webhooks',
    email: 'E-mail',
    none: 'aucune',
    errors: fr`Dernières requêtes refusées`,
    noErrors: fr`Aucune requête refusée en 30 jours.`,
    people: 'Personnes',
    nobody: fr`Personne : créez un propriétaire avec « passerelle user create ».`,
  },
  en: {
    available: 'Available balance',
    held: 'plus held:',
    day: 'Collected in 24 hours',
    out: 'Paid out:',
    rate: 'Success rate, 24 hours',
    ofAll: (succeeded: number, ended: number) => `${succeeded} of ${ended}`,
    count: (ended: number) => `${ended} ended`,
    backlog: 'Webhooks waiting',
    oldest: 'the oldest',
    lost: (count: number) => `${count} given up in 7 days`,
    transactions: 'Transactions',
    webhooks: 'Webhooks',
    fund: 'Fund',
    withdraw: 'Withdraw',
    state: 'Change state',
    traffic: 'Traffic, last 24 hours',
    service: 'Service',
    ended: 'Ended',
    success: 'Success rate',
    amount: 'Amount',
    quiet: 'No transaction ended in the last 24 hours.',
    facts: 'Merchant',
    number: 'Number',
    created: 'Created',
    perMinute: 'Requests per minute',
    callback: 'Webhook address',
    email: 'Email',
    none: 'none',
    errors: 'Latest refused requests',
    noErrors: 'No requests refused in the last 30 days.',
    people: 'People',
    nobody: 'Nobody: create an owner with “passerelle user create”.',
  },
})

const errorsMax = 10
const weekMs = 7 * 86_400_000

/** GET /dashboard/ops/clients/:id: money, traffic, errors, webhooks and people of a client */
export default function client(pages: Pages, context: DashboardContext): void {
  const { clients, ledger, people, reports, requests, webhooks } = context
  pages.screen('/dashboard/ops/clients/:id', 'ops.read', async (visit) => {
    const found = await clientOf(clients, visit)
    if (found === undefined) return undefined
    const { id: clientId } = found
    const [balance, traffic, errors, backlog, members] = await Promise.all([
      ledger.balances(clientId),
      reports.traffic([clientId]),
      requests.list({ clientId, group: 'failed', limit: errorsMax }),
      webhooks.deliveries.backlogOf(clientId, after(visit.now, -weekMs)),
      people.team.list(clientId),
    ])
    const say = words[visit.language]
    const body = html`${ways(visit, found)}
${tiles(visit, { ...balance, traffic, backlog })}
${trafficCard(visit, traffic)}
<section class="card"><h2>${say.errors}</h2>
${errors.length === 0 ? html`<p class="hint">${say.noErrors}</p>` : errorTable(visit, errors)}
</section>
${factsCard(visit, found)}
<section class="card"><h2>${say.people}</h2>
${members.length === 0 ? html`<p class="hint">${say.nobody}</p>` : peopleTable(visit, members)}
</section>`
    return clientScreen(visit, found, 'overview', body)
  })
}

/** What can be done from here; money is proposed, and above an amount approved by another. */
function ways(visit: OpsVisit, { id }: Client): Html {
  const say = words[visit.language]
  const propose = `/dashboard/ops/approvals/new?client=${id}&kind=`
  return html`<p class="ways">${way(`/dashboard/ops/transactions?client=${id}`, say.transactions)}
${way(`/dashboard/ops/webhooks/${id}`, say.webhooks)}
${
  visit.may('ops.money.propose') && [
    way(`${propose}fund`, say.fund),
    way(`${propose}withdraw`, say.withdraw),
  ]
}
${visit.may('ops.clients.change') && way(`${visit.path}/status`, say.state)}</p>`
}

function way(href: string, text: string): Html {
  return html`<a class="button second" href="${href}">${text}</a>`
}

interface Figures {
  available: number
  held: number
  traffic: Traffic[]
  backlog: Backlog
}

function tiles(visit: OpsVisit, { available, held, traffic, backlog }: Figures): Html {
  const say = words[visit.language]
  const { ended, succeeded, successRate } = totalsOfTraffic(traffic)
  const { collected, paidOut } = flowsOf(traffic)
  const { pending, oldestAt, exhausted } = backlog
  const oldest = oldestAt !== null && html`${say.oldest} ${moment(visit, oldestAt)}`
  const lost = exhausted > 0 && say.lost(exhausted)
  return html`<dl class="tiles">${tile(say.available, figure(available), [
    html`${say.held} ${money(held)}`,
  ])}
${tile(say.day, figure(collected), [html`${say.out} ${money(paidOut)}`, say.count(ended)])}
${tile(say.rate, percentText(visit.language, successRate), [say.ofAll(succeeded, ended)])}
${tile(say.backlog, pending, [oldest, lost])}</dl>`
}

function trafficCard({ language }: OpsVisit, traffic: Traffic[]): Html {
  const say = words[language]
  const rows = table(
    traffic,
    [
      {
        name: say.service,
        isTitle: true,
        cell: ({ serviceCode, operation }) =>
          `${providerWord(language, serviceCode)} · ${kindWord(language, operation)}`,
      },
      { name: say.ended, isNumeric: true, cell: ({ ended }) => ended },
      {
        name: say.success,
        isNumeric: true,
        cell: (one) => percentText(language, totalsOfTraffic([one]).successRate),
      },
      { name: say.amount, isNumeric: true, cell: (one) => money(signed(one)) },
    ],
    { caption: say.traffic },
  )
  return html`<section class="card"><h2>${say.traffic}</h2>
${traffic.length === 0 ? html`<p class="hint">${say.quiet}</p>` : rows}</section>`
}

function factsCard(visit: OpsVisit, one: Client): Html {
  const say = words[visit.language]
  return html`<section class="card"><h2>${say.facts}</h2>${facts([
    [say.number, one.id],
    [say.email, html`<bdi>${one.email ?? say.none}</bdi>`],
    [say.callback, html`<bdi>${one.callbackUrl ?? say.none}</bdi>`],
    [say.perMinute, one.ratePerMinute],
    [say.created, moment(visit, one.createdAt)],
  ])}</section>`
}

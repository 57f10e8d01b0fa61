import { type Html, html } from '#base/kit/html.ts'
import { en, fr, inBoth, plural } from '#base/kit/texts.ts'
import type { ClientNames } from '#merchants/clients/open.ts'
import { ownClientId } from '#money/ledger/own.ts'
import type { SuspendedMoney } from '#money/transactions/conflict-store.ts'
import type { DashboardContext } from '../context.ts'
import { empty, figure, idLink, moment, money, tile } from '../frame/components.ts'
import { providerWord } from '../frame/kinds.ts'
import type { Pages } from '../frame/pages.ts'
import { type Column, pager, table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { proposalHref } from './decide-words.ts'

const words = inBoth({
  fr: {
    title: fr`Compte d'attente`,
    about: fr`De l'argent que les prestataires ont reçu sans ordre ouvert : payé trop tard, payé
      deux fois, ou d'un autre montant. Il n'appartient à personne tant qu'il n'est pas renvoyé.`,
    none: fr`Rien en compte d'attente.`,
    total: 'En tout',
    origin: 'Origine',
    unknown: 'Inconnue',
    client: 'Marchand',
    since: 'Depuis',
    age: fr`Âge`,
    days: (count: number) => (count === 0 ? fr`aujourd'hui` : `${count} j`),
    amount: 'Montant',
    what: fr`Que faire`,
    transaction: 'Transaction',
    sendBack: fr`Renvoyer au client`,
    line: (line: string) => `Relevé, ligne ${line}`,
    reverse: fr`Demandez au prestataire d'annuler cette référence. Le relevé qui le montre ouvre un
      écart : mettez-le en attente à son tour, et cette ligne disparaît.`,
  },
  en: {
    title: 'Suspense',
    about: en`Money that providers received without an open order: paid too late, paid twice, or
        with another amount. It belongs to nobody until it is sent back.`,
    none: 'No money in suspense.',
    total: 'In all',
    origin: 'Origin',
    unknown: 'Unknown',
    client: 'Merchant',
    since: 'Since',
    age: 'Age',
    days: (count: number) => (count === 0 ? 'today' : `${count} ${plural.en(count, 'day')}`),
    amount: 'Amount',
    what: 'What to do',
    transaction: 'Transaction',
    sendBack: 'Send back',
    line: (line: string) => `Statement, line ${line}`,
    reverse:
      'Ask the provider to reverse this reference. The statement that shows it opens a ' +
      'difference: put it in suspense too, and this line is gone.',
  },
})

const dayMs = 86_400_000
const pageSize = 100

/** GET /dashboard/ops/suspense: money whose owner is not known yet, by provider, oldest first */
export default function suspense(pages: Pages, { clients, transactions }: DashboardContext): void {
  pages.screen('/dashboard/ops/suspense', 'ops.read', async (visit) => {
    const rows = await transactions.unresolved.suspense()
    const left = rows.filter((one) => isAfter(one, visit.query.after))
    const shown = left.slice(0, pageSize)
    const [last] = left.length > pageSize ? shown.slice(-1) : []
    const names = await clients.namesOf(shown)
    const say = words[visit.language]
    return {
      title: say.title,
      section: 'suspense',
      body: html`<div class="head"><h1>${say.title}</h1></div>
<p class="hint">${say.about}</p>
${
  rows.length === 0
    ? empty(say.none)
    : html`${sums(visit, rows)}
${table(shown, columnsFor(visit, names), { caption: say.title })}
${pager(visit, last === undefined ? null : placeOf(last), { isAscending: true })}`
}`,
    }
  })
}

/** Where a row stands among the others: by its time, its client and its attempt. */
function placeOf({ since, clientId, attempt }: SuspendedMoney): string {
  return `${since.getTime()}.${clientId}.${attempt}`
}

/** Whether a row stands after a place; one that is no place is before all. */
function isAfter(row: SuspendedMoney, place = ''): boolean {
  if (!/^\d+\.\d+\./.test(place)) return true
  const [sinceMs = '', clientId = '', ...attempt] = place.split('.')
  const since = row.since.getTime() - Number(sinceMs)
  const client = row.clientId - Number(clientId)
  const isLaterAttempt = row.attempt > attempt.join('.')
  return since > 0 || (since === 0 && (client > 0 || (client === 0 && isLaterAttempt)))
}

function originOf({ language }: OpsVisit, { serviceCode }: SuspendedMoney): string {
  return serviceCode === null ? words[language].unknown : providerWord(language, serviceCode)
}

/** The sum of each provider, and of all of them. */
function sums(visit: OpsVisit, rows: SuspendedMoney[]): Html {
  const origins = Map.groupBy(rows, (one) => originOf(visit, one))
  return html`<dl class="tiles">${sum(words[visit.language].total, rows)}${[...origins].map(
    ([name, some]) => sum(name, some),
  )}</dl>`
}

function sum(name: string, some: SuspendedMoney[]): Html {
  const total = some.reduce((sum, { amount }) => sum + amount, 0)
  return tile(name, figure(total))
}

/** What it is about: a transaction, or the line of a statement that none of ours explains. */
function aboutWay({ language }: OpsVisit, one: SuspendedMoney): Html | false {
  const { transactionId: id, clientId, attempt, reference } = one
  if (clientId !== ownClientId)
    return id !== null && idLink(`/dashboard/ops/transactions/${id}`, id)
  const [statement = '', line = ''] = attempt.split('/')
  const query = reference === null ? '' : `?tab=matched&q=${encodeURIComponent(reference)}`
  return html`<div><a href="/dashboard/ops/recon/statements/${statement}${query}">${words[
    language
  ].line(line)}</a><small><bdi>${reference}</bdi></small></div>`
}

function wayOut({ language }: OpsVisit, one: SuspendedMoney): Html | false {
  const { transactionId: id, clientId, amount } = one
  const say = words[language]
  if (clientId === ownClientId) return html`<small>${say.reverse}</small>`
  return (
    id !== null &&
    amount > 0 &&
    html`<a href="${proposalHref('send_back', id)}">${say.sendBack}</a>`
  )
}

function columnsFor(visit: OpsVisit, clients: ClientNames): Column<SuspendedMoney>[] {
  const say = words[visit.language]
  const maySend = visit.may('ops.money.propose')
  return [
    { name: say.origin, isTitle: true, cell: (one) => originOf(visit, one) },
    { name: say.client, cell: ({ clientId }) => html`<bdi>${clients.get(clientId)}</bdi>` },
    { name: say.amount, isNumeric: true, cell: ({ amount }) => money(amount) },
    { name: say.since, cell: ({ since }) => moment(visit, since) },
    {
      name: say.age,
      cell: ({ since }) => say.days(Math.floor((visit.now.getTime() - since.getTime()) / dayMs)),
    },
    { name: say.transaction, cell: (one) => aboutWay(visit, one) },
    ...(maySend ? [{ name: say.what, cell: (one: SuspendedMoney) => wayOut(visit, one) }] : []),
  ]
}

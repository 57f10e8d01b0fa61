import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'

import { type Badge, label, tabs } from '#doors/dashboard/frame/components.ts'

import type { Screen } from '#doors/dashboard/frame/layout.ts'
import type { Fact } from '#doors/dashboard/frame/reviewed.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { Clients } from '#merchants/clients/open.ts'
import type { MerchantStatus } from '#merchants/clients/statuses.ts'
import type { Client } from '#merchants/clients/store.ts'

/** What every screen about a client says. */
export const clientWords = inBoth({
  fr: {
    title: 'Marchands',
    one: 'Marchand',
    state: fr`État`,
    states: { pending: 'En attente', active: 'Actif', suspended: 'Suspendu' },
    overview: fr`Vue d'ensemble`,
    services: 'Services',
    keys: fr`Clés`,
    settings: fr`Réglages`,
    saved: fr`C'est enregistré.`,
  },
  en: {
    title: 'Merchants',
    one: 'Merchant',
    state: 'State',
    states: { pending: 'Pending', active: 'Active', suspended: 'Suspended' },
    overview: 'Overview',
    services: 'Services',
    keys: 'Keys',
    settings: 'Settings',
    saved: 'Saved.',
  },
})

const shapes: Record<MerchantStatus, Badge> = {
  active: ['good', 'check'],
  pending: ['calm', 'clock'],
  suspended: ['bad', 'pause'],
}

/** Whether a client may begin anything new, as a word with a shape and a colour. */
export function clientState({ language }: OpsVisit, state: MerchantStatus): Html {
  return label(shapes[state], clientWords[language].states[state])
}

/** The client of an address; undefined: there is none. */
export async function clientOf(clients: Clients, visit: OpsVisit): Promise<Client | undefined> {
  const id = visit.part('id')
  return /^\d{1,9}$/.test(id) ? clients.find(Number(id)) : undefined
}

/** Which client a form is about. */
export function clientFact({ language }: OpsVisit, { id }: Client): Fact {
  return { name: 'client', label: clientWords[language].one, value: id }
}

const tabNames = ['overview', 'services', 'keys', 'settings'] as const

type Tab = (typeof tabNames)[number]

/** The address of a client, or of a tab of it. */
export function clientHref(id: number, tab: Tab = 'overview'): string {
  return `/dashboard/ops/clients/${id}${tab === 'overview' ? '' : `/${tab}`}`
}

/** A screen about a client, under its tabs. */
export function clientScreen(visit: OpsVisit, client: Client, tab: Tab, body: Html): Screen {
  const say = clientWords[visit.language]
  const state = clientState(visit, client.merchantStatus)
  const entries = tabNames.map((one) => ({
    href: clientHref(client.id, one),
    text: say[one],
    isCurrent: one === tab,
  }))
  return {
    title: `${say[tab]} · ${client.name}`,
    section: 'clients',
    body: html`<p class="back"><a href="/dashboard/ops/clients">${say.title}</a></p>
<div class="head"><h1><bdi>${client.name}</bdi></h1>${state}</div>
${tabs(client.name, entries)}
${body}`,
  }
}

/** A screen about one thing of a tab, with a way back to the tab. */
export function clientDetail(
  visit: OpsVisit,
  client: Client,
  { tab, title, body, aside }: { tab: Tab; title: string; body: Html; aside?: Html },
): Screen {
  const name = clientWords[visit.language][tab]
  const href = clientHref(client.id, tab)
  return {
    title: `${title} · ${client.name}`,
    section: 'clients',
    body: html`<p class="back"><a href="${href}"><bdi>${client.name}</bdi> · ${name}</a></p>
<div class="head"><h1>${title}</h1>${aside}</div>
${body}`,
  }
}

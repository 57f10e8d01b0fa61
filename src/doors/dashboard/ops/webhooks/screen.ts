import { html } from '#base/kit/html.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import {
  deliveryList,
  nothingTyped,
  type Typed,
} from '#doors/dashboard/developers/webhooks/delivery-list.ts'
import type { Screen } from '#doors/dashboard/frame/layout.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { frameWords } from '#doors/dashboard/frame/words.ts'
import type { Client } from '#merchants/clients/store.ts'

/** The client that the address names; undefined: there is none. */
export async function clientOf(
  { clients }: DashboardContext,
  visit: OpsVisit,
): Promise<Client | undefined> {
  const id = visit.part('client')
  return /^\d{1,9}$/.test(id) ? clients.find(Number(id)) : undefined
}

/** The page of a merchant's deliveries. */
export async function deliveriesScreen(
  { webhooks }: DashboardContext,
  visit: OpsVisit,
  client: Client,
  typed: Typed = nothingTyped,
): Promise<Screen> {
  const deliveries = await deliveryList(webhooks, visit, {
    clientId: client.id,
    base: `/dashboard/ops/webhooks/${client.id}`,
    mayResend: visit.may('ops.webhooks.resend'),
    typed,
  })
  const back = frameWords[visit.language].opsSections.webhooks
  return {
    title: client.name,
    section: 'webhooks',
    status: Object.keys(typed.problems).length > 0 ? 422 : 200,
    body: html`<p class="back"><a href="/dashboard/ops/webhooks">${back}</a></p>
<div class="head"><h1><bdi>${client.name}</bdi></h1></div>${deliveries}`,
  }
}

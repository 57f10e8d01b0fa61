import { html } from '#base/kit/html.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Screen } from '#doors/dashboard/frame/layout.ts'
import type { Visit } from '#doors/dashboard/frame/visit.ts'
import { developerScreen } from '../tabs.ts'
import { pageOfDelivery } from './delivery-columns.ts'
import { deliveryList, nothingTyped, type Typed } from './delivery-list.ts'
import { addressCard, secretsCard } from './settings-cards.ts'

const place = { base: '/dashboard/developers/webhooks', pageOf: pageOfDelivery }

/** The page of webhooks: where they go, how they are signed, what became of them. */
export async function webhooksScreen(
  { clients, webhooks }: DashboardContext,
  visit: Visit,
  typed: Typed = nothingTyped,
): Promise<Screen> {
  const { id: clientId } = visit.client
  const [client, secrets, deliveries] = await Promise.all([
    clients.find(clientId),
    clients.webhookSecrets.list(clientId),
    deliveryList(webhooks, visit, {
      ...place,
      clientId,
      mayResend: visit.may('event.resend'),
      typed,
    }),
  ])
  const isWrong = Object.keys(typed.problems).length > 0
  return developerScreen(
    visit,
    'webhooks',
    html`<div class="columns">${addressCard(visit, client?.callbackUrl ?? null, typed)}
${secretsCard(visit, secrets)}</div>
${deliveries}`,
    isWrong ? 422 : 200,
  )
}

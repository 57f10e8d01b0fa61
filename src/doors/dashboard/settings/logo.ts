import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'
import { clientOf } from '../ops/clients/client-screen.ts'

/** GET …/settings/logo: the logo of the merchant that is shown, or that an operator names. */
export default function logo(pages: Pages, { clients }: DashboardContext): void {
  const places = [
    ['/dashboard/settings/logo', 'settings.read'],
    ['/dashboard/ops/clients/:id/settings/logo', 'ops.read'],
  ] as const
  for (const [path, action] of places)
    pages.answer(path, action, async (visit, reply) => {
      const client = visit.client ?? (await clientOf(clients, visit))
      const brand = client && (await clients.findBrand(client.id))
      const found = brand?.logo ? await clients.logoOf(brand.logo.hash) : undefined
      return found && reply.type(found.mediaType).send(found.bytes)
    })
}

import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { clientOf } from '#doors/dashboard/ops/clients/client-screen.ts'

/** GET /dashboard/ops/clients/:id/settings/logo */
export default function logo(pages: Pages, { clients }: DashboardContext): void {
  pages.answer('/dashboard/ops/clients/:id/settings/logo', 'ops.read', async (visit, reply) => {
    const client = await clientOf(clients, visit)
    if (client === undefined) return undefined
    const { logo: own } = await clients.findBrand(client.id)
    const found = own === null ? undefined : await clients.logoOf(own.hash)
    return found === undefined ? undefined : reply.type(found.mediaType).send(found.bytes)
  })
}

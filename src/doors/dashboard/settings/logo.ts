import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'

/** GET /dashboard/settings/logo: the client's own logo. */
export default function logo(pages: Pages, { clients }: DashboardContext): void {
  pages.answer('/dashboard/settings/logo', 'settings.read', async (visit, reply) => {
    const { logo: own } = await clients.findBrand(visit.client.id)
    const found = own === null ? undefined : await clients.logoOf(own.hash)
    return found === undefined ? undefined : reply.type(found.mediaType).send(found.bytes)
  })
}

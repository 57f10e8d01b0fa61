import { findBrand, findLogo } from '#merchants/clients/brand-store.ts'
import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'

/** GET /dashboard/settings/logo: the client's own logo. */
export default function logo(pages: Pages, { db }: DashboardContext): void {
  pages.answer('/dashboard/settings/logo', 'settings.read', async (visit, reply) => {
    const { logo: own } = await findBrand(db, visit.client.id)
    const found = own === null ? undefined : await findLogo(db, own.hash)
    return found === undefined ? undefined : reply.type(found.mediaType).send(found.bytes)
  })
}

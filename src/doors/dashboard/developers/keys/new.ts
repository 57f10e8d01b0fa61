import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { Visit } from '#doors/dashboard/frame/visit.ts'
import { detailScreen } from '../tabs.ts'
import { keyForm, keyFormWords, readKey } from './key-form.ts'

/** GET, POST /dashboard/developers/keys/new */
export default function newKey(pages: Pages, { clients }: DashboardContext): void {
  const rateOf = async ({ client }: Visit) => (await clients.find(client.id))?.ratePerMinute ?? 0

  pages.form(
    '/dashboard/developers/keys/new',
    {
      action: 'key.change',
      isSensitive: true,
      show: async (visit, _none, { typed = {}, problems }) => {
        const form = { action: visit.path, rateMax: await rateOf(visit), typed, problems }
        const { title } = keyFormWords[visit.language]
        return detailScreen(visit, 'keys', { title, body: keyForm(visit, form) })
      },
    },
    async (visit, form) => {
      const order = readKey(visit, form, await rateOf(visit))
      const { secret } = await clients.keys.issue({
        ...order,
        clientId: visit.client.id,
        actor: visit.actor,
      })
      return { to: '/dashboard/developers', text: keyFormWords[visit.language].made, secret }
    },
  )
}

import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Screen } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { Visit } from '#doors/dashboard/frame/visit.ts'
import { detailScreen } from '../tabs.ts'
import { keyForm, keyFormWords, readKey } from './key-form.ts'

const path = '/dashboard/developers/keys/new'

/** GET, POST /dashboard/developers/keys/new */
export default function newKey(pages: Pages, { clients }: DashboardContext): void {
  const rateOf = async ({ client }: Visit) => (await clients.find(client.id))?.ratePerMinute ?? 0

  pages.screen('/dashboard/developers/keys/new', 'key.change', async (visit) =>
    screen(visit, { typed: {}, rateMax: await rateOf(visit), problems: {} }),
  )

  pages.action(
    path,
    { action: 'key.change', isSensitive: true, reviewed: null },
    async (visit, sent) => {
      const rateMax = await rateOf(visit)
      const { order, problems } = readKey(visit, sent, rateMax)
      if (Object.keys(problems).length > 0)
        return screen(visit, { typed: sent.fields, rateMax, problems })
      const { secret } = await clients.keys.issue({
        ...order,
        clientId: visit.client.id,
        actor: visit.actor,
      })
      return { to: '/dashboard/developers', text: keyFormWords[visit.language].made, secret }
    },
  )
}

function screen(visit: Visit, form: Omit<Parameters<typeof keyForm>[1], 'action'>): Screen {
  const { title } = keyFormWords[visit.language]
  const body = keyForm(visit, { action: path, ...form })
  return detailScreen(visit, 'keys', { title, body })
}

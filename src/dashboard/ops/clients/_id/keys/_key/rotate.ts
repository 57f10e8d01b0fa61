import { rotateKey } from '../../../../../../clients/keys.ts'
import type { DashboardContext } from '../../../../../context.ts'
import { refuseBeyond } from '../../../../../developers/keys/granted.ts'
import { seenOfKey } from '../../../../../developers/keys/key-parts.ts'
import { keyWords } from '../../../../../developers/keys/key-words.ts'
import { readOverlapMs } from '../../../../../developers/overlap.ts'
import type { Pages } from '../../../../../frame/pages.ts'
import { clientKeyOf } from '../_key.ts'

/** POST /dashboard/ops/clients/:id/keys/:key/rotate */
export default function rotate(pages: Pages, { db, clock, config }: DashboardContext): void {
  pages.action(
    '/dashboard/ops/clients/:id/keys/:key/rotate',
    {
      action: 'ops.clients.change',
      isSensitive: true,
      reviewed: {
        find: (visit) => clientKeyOf(db, visit),
        facts: (visit, { key }) => seenOfKey(visit, key),
      },
    },
    async (visit, form, found) => {
      refuseBeyond(visit, found.key.rights)
      const { mode } = config
      const order = { id: found.key.id, overlapMs: readOverlapMs(form), actor: visit.actor }
      const { secret } = await rotateKey(db, { clock, mode }, order)
      return { to: found.path, text: keyWords[visit.language].rotated, secret }
    },
  )
}

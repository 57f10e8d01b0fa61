import type { Batch } from '../../../batches/batch.ts'
import type { Batches } from '../../../batches/open.ts'
import type { DashboardContext } from '../../context.ts'
import type { Pages } from '../../frame/pages.ts'
import { refresh } from '../../frame/streams.ts'
import { findOwn } from '../_id.ts'

/** GET /dashboard/batches/:id/live: tells an open page when its batch has changed. */
export default function live({ streams, ...pages }: Pages, context: DashboardContext): void {
  const { batches, clock } = context
  pages.answer(
    '/dashboard/batches/:id/live',
    'batch.read',
    async (visit, reply) => {
      const batch = await findOwn(batches, visit)
      if (batch === undefined) return undefined
      if (streams.isFull(visit)) return reply.code(429).header('Retry-After', 15).send()
      const gone = new AbortController()
      const stream = streams.add(visit, reply, () => gone.abort())
      const { request, query } = visit
      const { version = '' } = query
      try {
        for await (const _ of changes(batches, batch, version, gone.signal))
          stream.send(clock.now(), refresh)
      } catch (problem) {
        request.log.warn({ err: problem }, 'a batch could not be followed')
        // The browser connects again.
        stream.end()
      }
      return reply
    },
    { isStream: true },
  )
}

/** Yields when the batch is no longer as the page shows it. */
async function* changes(
  batches: Batches,
  batch: Batch,
  version: string,
  signal: AbortSignal,
): AsyncGenerator<void> {
  let shown = version
  for await (const _ of batches.follow(batch, signal)) {
    const now = String((await batches.find(batch))?.version)
    if (now !== shown) yield
    shown = now
  }
}

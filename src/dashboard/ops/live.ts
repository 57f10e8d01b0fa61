import { setInterval } from 'node:timers/promises'
import type { DashboardContext } from '../context.ts'
import { followRecord } from '../frame/follow-record.ts'
import type { Pages } from '../frame/pages.ts'
import { versionOf } from '../ops.ts'

// Within two seconds of a change, with the second that an overview is kept.
const lookMs = 1000

/** GET /dashboard/ops/live: tells an open page of health when something has changed */
export default function live({ streams, ...pages }: Pages, context: DashboardContext): void {
  const { health, clock } = context
  pages.answer('/dashboard/ops/live', 'ops.read', (visit, reply) =>
    followRecord({ streams, clock }, visit, reply, {
      follow: (signal) => everySecond(signal),
      version: async () => versionOf(await health.overview()),
    }),
  )
}

async function* everySecond(signal: AbortSignal): AsyncGenerator<void> {
  try {
    for await (const _ of setInterval(lookMs, undefined, { signal, ref: false })) yield
  } catch (problem) {
    if (!signal.aborted) throw problem
  }
}

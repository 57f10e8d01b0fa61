import { buildApp } from '#app.ts'
import { readConfig } from '#base/config/config.ts'
import { systemClock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { openDb } from '#data/db/db.ts'
import { openDomain } from '#domain.ts'
import { openProviders } from '#money/providers/open.ts'

/** The OpenAPI description as a gateway serves it. No database is asked: routes alone make it. */
export async function describeApi(): Promise<Record<string, unknown>> {
  const config = readConfig({ MODE: 'sandbox' })
  const log = openLog('silent')
  const db = openDb({ url: 'postgresql://127.0.0.1:9/none', name: 'description' })
  const { publicUrl, payUrl } = config
  const domain = openDomain({
    config,
    db,
    clock: systemClock,
    log,
    providers: openProviders({ bindings: [], log }),
    publicUrl: () => publicUrl,
    payUrl: () => payUrl,
  })
  const { http } = await buildApp({ config, db, clock: systemClock, log, domain })
  const answer = await http.inject('/openapi.json')
  await http.close()
  await domain.webhooks.stop()
  await db.close()
  return answer.json()
}

import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config/config.ts'
import { openDb } from '../src/db/db.ts'
import { openDomain } from '../src/domain.ts'
import { systemClock } from '../src/kit/clock.ts'
import { openLog } from '../src/log/log.ts'
import { openProviders } from '../src/providers/open.ts'

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

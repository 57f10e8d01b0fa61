import type { Registry } from '@prometheus-io/client'
import type { Context } from './api/context.ts'
import readBalance from './api/v1/api-services/balance.ts'
import listServices from './api/v1/api-services/services.ts'
import { watchMaintenance } from './catalog/maintenance.ts'
import { authenticator } from './clients/authenticate.ts'
import { addGuard } from './http/guard.ts'
import { addMetrics } from './http/metrics.ts'
import { addOpenApi } from './http/openapi.ts'
import { addProbes } from './http/probes.ts'
import type { Http } from './http/server.ts'
import { openHttp } from './http/server.ts'
import type { Clock } from './kit/clock.ts'
import type { Config } from './kit/config.ts'
import type { Db } from './kit/db.ts'
import type { Log } from './kit/log.ts'

export interface AppParts {
  config: Config
  db: Db
  clock: Clock
  log: Log
  inFlightMax?: number
}

export interface App {
  http: Http
  registry: Registry
  /** Says "not ready" from now on and lets connections end after their next answer. */
  drain(): void
}

/**
 * The whole interface on one page: every endpoint is listed here and lives in the file of its path.
 */
export async function buildApp(parts: AppParts): Promise<App> {
  const { config, db, clock, log, inFlightMax } = parts
  const maintenance = watchMaintenance(db)
  let isDraining = false

  const http = await openHttp({
    log,
    isHttps: config.publicUrl.startsWith('https:'),
    trustedProxies: config.trustedProxies,
    redisUrl: config.redisUrl,
    ...(inFlightMax === undefined ? {} : { inFlightMax }),
  })
  http.addHook('onSend', async (_request, reply) => {
    if (isDraining) reply.header('Connection', 'close')
  })
  addProbes(http, { ping: () => db.ping(), isDraining: () => isDraining })
  const registry = addMetrics(http, db)
  await addOpenApi(http, config.publicUrl)
  addGuard(http, { authenticate: authenticator(db, clock), maintenance })

  const context: Context = { db, clock, maintenance }
  listServices(http, context) //  GET /api/v1/api-services/services
  readBalance(http, context) //   GET /api/v1/api-services/balance

  return {
    http,
    registry,
    drain: () => {
      isDraining = true
    },
  }
}

import type { Registry } from '@prometheus-io/client'
import type { Config } from '#base/config/config.ts'
import { addressOfCell, withoutCell } from '#base/kit/cell-names.ts'
import type { Log } from '#base/log/log.ts'
import type { Traces } from '#base/traces/open.ts'
import type { DbParts } from '#data/db/db.ts'
import readBalance from '#doors/api/v1/api-services/balance.ts'
import listServices from '#doors/api/v1/api-services/services.ts'
import inquireBill from '#doors/api/v1/billing/inquiry.ts'
import payBill from '#doors/api/v1/billing/pay.ts'
import replayEvent from '#doors/api/v1/events/_id/replay.ts'
import streamEvents from '#doors/api/v1/events/stream.ts'
import readEvents from '#doors/api/v1/events.ts'
import readLinkAlias from '#doors/api/v1/merchant/_transactionId.ts'
import addSubMerchant from '#doors/api/v1/sub-merchant/_subMerchantId.ts'
import addSubMerchants from '#doors/api/v1/sub-merchant.ts'
import readTransaction from '#doors/api/v1/transaction/_transactionId.ts'
import confirmTransaction from '#doors/api/v1/transaction/confirm/walletd.ts'
import initTransaction from '#doors/api/v1/transaction/init.ts'
import readLink from '#doors/api/v1/transaction/merchant/_transactionId.ts'
import createLink from '#doors/api/v1/transaction/merchant/get-link.ts'
import listLinks from '#doors/api/v1/transaction/merchant.ts'
import refundTransaction from '#doors/api/v1/transaction/refund/_transactionId.ts'
import listTransactions from '#doors/api/v1/transaction.ts'
import { addCallbacks } from '#doors/callbacks/receive.ts'
import { addDashboard } from '#doors/dashboard/routes.ts'
import { addGuides } from '#doors/guides/routes.ts'
import { addPayPages, type PayPageOptions } from '#doors/pay/routes.ts'
import { addGuard } from '#edge/http/guard.ts'
import type { Http } from '#edge/http/http.ts'
import { openKeyRates } from '#edge/http/key-rates.ts'
import { addKeepingMetric, addMetricsRoute, type Metrics, openMetrics } from '#edge/http/metrics.ts'
import { addOpenApi } from '#edge/http/openapi.ts'
import { addProbes, questionOf } from '#edge/http/probes.ts'
import { openHttp } from '#edge/http/server.ts'
import { traceRequests } from '#edge/http/trace-requests.ts'
import { addIdempotency } from '#edge/idempotency/idempotency.ts'
import { keepRequests } from '#edge/requests/keep.ts'
import { demoKey, demoSecrets } from '#program/sandbox/demo-keys.ts'
import { knownLabUrl } from '#program/sandbox/lab.ts'
import type { Domain } from './domain.ts'

interface ServerParts extends DbParts {
  config: Config
  log: Log
  inFlightMax?: number
}

export interface AppParts extends ServerParts {
  domain: Domain
  /** Left out: no spans are made. */
  traces?: Traces | undefined
}

export interface App {
  http: Http
  registry: Registry
  metrics: Metrics
  /** From now on /readyz reports not ready, and each answer closes its connection. */
  drain(): void
}

/** Builds the whole interface. Every endpoint is listed here; its file has the path of its URL. */
export async function buildApp(parts: AppParts): Promise<App> {
  const { config, db, clock, domain } = parts
  const { mode, webhookRules } = config
  const app = await buildProbes(parts)
  const { http, registry } = app
  if (parts.traces !== undefined) traceRequests(http, parts.traces)
  await addOpenApi(http, {
    publicUrl: config.publicUrl,
    cell: config.cell,
    ...(mode === 'sandbox' ? { demoKey } : {}),
  })
  const { publicUrl, payUrl, securityContact } = config
  addGuides(http, {
    publicUrl,
    payUrl,
    securityContact,
    isSandbox: mode === 'sandbox',
  })
  const rates = openKeyRates({ db, clock })
  http.addHook('onClose', async () => rates.close())
  addGuard(http, {
    authenticate: domain.clients.authenticate,
    countRequest: rates.count,
    maintenance: domain.catalog.maintenance,
    clock,
    mode,
    cell: config.cell,
  })
  const keeping = keepRequests(http, { db, clock, log: parts.log })
  addKeepingMetric(registry, keeping)
  addIdempotency(http, { db, clock, log: parts.log, secretKey: config.secretKey })

  const context = { ...domain, mode, webhookRules }
  initTransaction(http, context) //    POST /api/v1/transaction/init
  listTransactions(http, context) //   GET  /api/v1/transaction
  readTransaction(http, context) //    GET  /api/v1/transaction/{transactionId}
  confirmTransaction(http, context) // POST /api/v1/transaction/confirm/walletd
  refundTransaction(http, context) //  POST /api/v1/transaction/refund/{transactionId}
  createLink(http, context) //         POST /api/v1/transaction/merchant/get-link
  listLinks(http, context) //          GET  /api/v1/transaction/merchant
  readLink(http, context) //           GET  /api/v1/transaction/merchant/{transactionId}
  readLinkAlias(http, context) //      GET  /api/v1/merchant/{transactionId}
  inquireBill(http, context) //        POST /api/v1/billing/inquiry
  payBill(http, context) //            POST /api/v1/billing/pay
  listServices(http, context) //       GET  /api/v1/api-services/services
  readBalance(http, context) //        GET  /api/v1/api-services/balance
  addSubMerchants(http, context) //    POST, GET /api/v1/sub-merchant
  addSubMerchant(http, context) //     GET, PATCH, DELETE /api/v1/sub-merchant/{subMerchantId}
  readEvents(http, context) //         GET  /api/v1/events
  streamEvents(http, context) //       GET  /api/v1/events/stream
  replayEvent(http, context) //        POST /api/v1/events/{id}/replay
  await addCallbacks(http, { ...domain, registry }) // POST, PUT /callbacks/{connector}/…
  await addPayPages(http, payParts(parts)) //                 GET, POST {PAY_URL}/process/{id}…
  await addDashboardPages(http, parts) //                     GET, POST /dashboard…
  return app
}

/** Builds probes and metrics alone, for a worker process. */
export async function buildProbes(parts: ServerParts): Promise<App> {
  const { config, db, clock, log, inFlightMax } = parts
  let isDraining = false
  const http = await openHttp({
    log,
    clock,
    isHttps: config.publicUrl.startsWith('https:'),
    cell: config.cell,
    trustedProxies: config.trustedProxies,
    ...(inFlightMax === undefined ? {} : { inFlightMax }),
  })
  const askDatabase = questionOf(() => db.ping())
  addProbes(http, { askDatabase, isDraining: () => isDraining, cell: config.cell })
  const metrics = openMetrics(http, { db, askDatabase })
  // The metrics of a live gateway are on a port of their own, or nowhere.
  const isBeside = config.mode === 'sandbox' && config.metricsAddress === null
  if (isBeside) addMetricsRoute(http, metrics)
  const drain = () => {
    isDraining = true
    http.drain()
  }
  return { http, registry: metrics.registry, metrics, drain }
}

async function addDashboardPages(http: Http, parts: AppParts): Promise<void> {
  const { config, clock, domain } = parts
  const isHttps = config.publicUrl.startsWith('https:')
  const { origin } = new URL(config.publicUrl)
  const site = { isSandbox: config.mode === 'sandbox', isHttps, origin }
  const { audit, people } = domain
  const demo = site.isSandbox ? { keys: demoSecrets, labUrl: () => knownLabUrl(config) } : null
  await addDashboard(http, { audit, clock, people, ...site }, { config, demo, ...domain })
}

/** The page is at /pay, and also at the path of PAY_URL. */
function payParts({ config, domain }: AppParts): PayPageOptions {
  const { payUrl, publicUrl, mode, cell, secretKey } = config
  const { pathname, origin } = new URL(payUrl)
  // As routes see it: without the cell.
  const own = cell === null ? pathname : withoutCell(pathname)
  const paths = [...new Set(['/pay', own.replace(/\/+$/, '')])]
  // Without PAY_URL the page takes its origin from each request.
  const isDefault = payUrl === `${addressOfCell(publicUrl, cell)}/pay`
  const { checkout } = domain.links
  const site = { isSandbox: mode === 'sandbox', secretKey, payUrl }
  return { ...site, checkout, paths, ...(isDefault ? {} : { origin }) }
}

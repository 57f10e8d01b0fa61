import rateLimit from '@fastify/rate-limit'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import fastify, { LogController } from 'fastify'
import { Redis } from 'ioredis'
import { randomText } from '../kit/ids.ts'
import type { Log } from '../kit/log.ts'
import { firstSegmentOf, fullPath } from './aliases.ts'
import { addJsonParser, bodyBytesMax } from './body.ts'
import { answerBrokenRequest, answerError } from './errors.ts'
import { addSecurityHeaders } from './headers.ts'
import { addNotFound } from './not-found.ts'
import { addOverloadShedding } from './overload.ts'

export type Http = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export interface HttpOptions {
  log: Log
  isHttps: boolean
  trustedProxies: string[]
  /** Shares rate limits between processes. */
  redisUrl: string | null
  inFlightMax?: number
}

/** A server with everything that is common to all routes, and no route yet. */
export async function openHttp(options: HttpOptions): Promise<Http> {
  const firstSegments = new Set<string>()
  const loggerInstance: FastifyBaseLogger = options.log
  const http: Http = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIds(),
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    bodyLimit: bodyBytesMax,
    // A request must arrive within 10 s; between requests a connection may rest for 65 s, a little
    // more than load balancers wait, so that it is never us who close first.
    requestTimeout: 10_000,
    connectionTimeout: 70_000,
    keepAliveTimeout: 65_000,
    // While stopping, what still arrives on open connections is served, then the connection closed.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
    rewriteUrl: ({ url = '/' }) => fullPath(url, firstSegments),
    frameworkErrors: answerError,
    clientErrorHandler: answerBrokenRequest(options.log),
    ajv: {
      customOptions: {
        coerceTypes: false,
        useDefaults: false,
        removeAdditional: false,
        allErrors: true,
        verbose: true,
      },
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  http.addHook('onRoute', ({ url }) => {
    const segment = firstSegmentOf(url)
    if (segment !== undefined) firstSegments.add(segment)
  })
  http.setErrorHandler(answerError)
  addNotFound(http)
  addSecurityHeaders(http, options)
  addOverloadShedding(http, options.inFlightMax)
  addJsonParser(http)
  await addRateLimit(http, options)
  addRequestLog(http)
  return http
}

async function addRateLimit(http: Http, { redisUrl, log }: HttpOptions): Promise<void> {
  const redis = redisUrl === null ? undefined : openRedis(redisUrl, log)
  if (redis !== undefined) http.addHook('onClose', async () => redis.disconnect())
  await http.register(rateLimit, {
    global: false,
    timeWindow: 60_000,
    max: (request) => request.caller?.ratePerMinute ?? 0,
    keyGenerator: (request) => request.caller?.keyId ?? request.ip,
    cache: 100_000,
    nameSpace: 'passerelle-rate-',
    // A limiter that is away must not stop payments.
    skipOnError: true,
    ...(redis === undefined ? {} : { redis }),
  })
}

function openRedis(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    connectTimeout: 500,
    commandTimeout: 500,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
  })
  redis.on('error', (problem) => log.warn({ err: problem }, 'redis is away: rates are not limited'))
  return redis
}

/** Short, unique over processes, and cheap: random once, then counted. */
function requestIds(): () => string {
  const own = randomText(9)
  let count = 0
  return () => {
    count += 1
    return `req_${own}${count.toString(36)}`
  }
}

/** One line for each request, with what one needs to find it again. */
function addRequestLog(http: Http): void {
  http.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        clientId: request.caller?.clientId,
        keyId: request.caller?.keyId,
      },
      'request',
    )
  })
}

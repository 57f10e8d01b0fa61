import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import websocket from '@fastify/websocket'
import type { FastifyBaseLogger } from 'fastify'
import fastify, { LogController } from 'fastify'
import { randomText } from '../kit/ids.ts'
import type { Log } from '../kit/log.ts'
import { firstSegmentOf, fullPath } from './aliases.ts'
import { addJsonParser, bodyBytesMax } from './body.ts'
import { answerBrokenRequest, answerError } from './errors.ts'
import { addGracefulClose } from './graceful-close.ts'
import { securityHeaders } from './headers.ts'
import type { Http } from './http.ts'
import { addNotFoundHandler } from './not-found.ts'
import { addOverloadShedding } from './overload.ts'
import type { PeerProcesses } from './peer-processes.ts'
import { addProtocolChecks } from './protocol-checks.ts'
import { addRateLimit } from './rate-limit.ts'

export interface HttpOptions {
  log: Log
  isHttps: boolean
  trustedProxies: string[]
  /** Shares rate limits between machines. */
  redisUrl: string | null
  /** The other processes behind the same port. */
  peers?: PeerProcesses
  inFlightMax?: number
  /** How long a request may take to arrive. */
  requestTimeoutMs?: number
}

/** A server with everything that is common to all routes, and no route yet. */
export async function openHttp(options: HttpOptions): Promise<Http> {
  const firstSegments = new Set<string>()
  const loggerInstance: FastifyBaseLogger = options.log
  const setHeaders = securityHeaders(options)
  const { requestTimeoutMs = 10_000 } = options
  const http: Http = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    // Lines name their request themselves; a logger for each request costs more than it tells.
    childLoggerFactory: (logger) => logger,
    genReqId: requestIds(),
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    bodyLimit: bodyBytesMax,
    // Between requests a connection may rest for 65 s, a little more than load balancers wait, so
    // that it is never us who close first. Node looks for late requests only every 30 s by itself.
    requestTimeout: requestTimeoutMs,
    http: {
      requireHostHeader: false,
      connectionsCheckingInterval: requestTimeoutMs / 10,
      // Node's own, 60 s, would be taken for the longer of the two and so for that of the body.
      headersTimeout: requestTimeoutMs,
    },
    connectionTimeout: 70_000,
    keepAliveTimeout: 65_000,
    // While stopping, what still arrives on open connections is served, then the connection closed.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
    rewriteUrl: ({ url = '/' }) => fullPath(url, firstSegments),
    // Raised before any hook has run.
    frameworkErrors: (problem, request, reply) => {
      setHeaders(request, reply)
      answerError(problem, request, reply)
    },
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
  addNotFoundHandler(http)
  http.addHook('onRequest', (request, reply, done) => {
    setHeaders(request, reply)
    done()
  })
  addProtocolChecks(http)
  addGracefulClose(http, requestTimeoutMs)
  addOverloadShedding(http, options.inFlightMax)
  addJsonParser(http)
  await addRateLimit(http, options)
  await http.register(websocket, { options: { maxPayload: 1024, handleProtocols } })
  addRequestLog(http)
  return http
}

/** A browser cannot set headers: its key comes as a subprotocol, which has to be agreed to. */
function handleProtocols(protocols: Set<string>): string | false {
  return [...protocols].find((one) => one.startsWith('bearer.')) ?? false
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
  http.addHook('onResponse', (request, reply, done) => {
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
    done()
  })
}

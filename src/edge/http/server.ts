import type { Socket } from 'node:net'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import websocket from '@fastify/websocket'
import fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import { withoutCell } from '#base/kit/cell-names.ts'
import { type Clock, systemClock } from '#base/kit/clock.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Log } from '#base/log/log.ts'
import { firstSegmentOf, fullPath } from './aliases.ts'
import { addJsonParser, bodyBytesMax } from './body.ts'
import { answerBrokenRequest, answerError } from './errors.ts'
import { addGracefulClose } from './graceful-close.ts'
import { headerSetter, securityHeaders } from './headers.ts'
import type { Http } from './http.ts'
import { addNotFoundHandler } from './not-found.ts'
import { addOverloadShedding } from './overload.ts'
import { addProtocolChecks, withFewParameters } from './protocol-checks.ts'
import { requestIds } from './request-ids.ts'
import { addRequestLog } from './request-log.ts'

export interface HttpOptions {
  log: Log
  /** Left out: the machine's. */
  clock?: Clock
  isHttps: boolean
  /** The name of this cell, in each answer; left out or null: there are no cells. */
  cell?: string | null
  trustedProxies: string[]
  inFlightMax?: number
  /** How long a request, headers and body, may take to arrive. */
  requestTimeoutMs?: number
}

// A request is checked as it came, and all that is wrong with it is told at once.
const requestChecks = {
  allErrors: true,
  verbose: true,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
} as const

// Beyond them the operating system's limit of open files would come first.
const connectionsMax = 20_000

/** A server with everything that is common to all routes, without any route. */
export async function openHttp(options: HttpOptions): Promise<Http> {
  const firstSegments = new Set<string>()
  const loggerInstance: FastifyBaseLogger = options.log
  const { cell = null, requestTimeoutMs = 10_000 } = options
  const headers = securityHeaders({ ...options, cell })
  const setHeaders = headerSetter(headers)
  const newId = requestIds(options.clock ?? systemClock)
  const answerBroken = answerBrokenRequest(options.log)
  const rewritten = (url: string) => fullPath(cell === null ? url : withoutCell(url), firstSegments)
  const http: Http = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    // No child logger per request, for speed: log lines name their request themselves.
    childLoggerFactory: (logger) => logger,
    genReqId: newId,
    // A start may take long on a busy machine; that is no reason to fail.
    pluginTimeout: 0,
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    bodyLimit: bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    http: {
      requireHostHeader: false,
      // Node looks for late requests every 30 s by default.
      connectionsCheckingInterval: requestTimeoutMs / 10,
      // Node's default of 60 s is larger than our requestTimeout, and the larger of the two would
      // apply to the whole request.
      headersTimeout: requestTimeoutMs,
    },
    connectionTimeout: 70_000,
    // Longer than the usual 60 s of load balancers, so that never the server closes first.
    keepAliveTimeout: 65_000,
    // While closing, requests on open connections are still served; see graceful-close.ts.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
    rewriteUrl: ({ url = '/' }) => rewritten(withFewParameters(url)),
    // These errors are raised before any hook has run.
    frameworkErrors: (problem, request, reply) => {
      setHeaders(request, reply)
      answerError(problem, request, reply)
    },
    clientErrorHandler: (problem: Error & { code?: string }, socket) => {
      // Node has one limit for all requests; of one that it has reported it knows no more.
      if (problem.code === 'ERR_HTTP_REQUEST_TIMEOUT' && http.slowSenders.has(socket)) return
      answerBroken(problem, socket)
    },
    ajv: { customOptions: requestChecks },
  }).withTypeProvider<TypeBoxTypeProvider>()

  http.decorate('cell', cell)
  http.decorate('slowSenders', new Set<Socket>())
  http.server.maxConnections = connectionsMax
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
  await addWebSockets(http)
  addRequestLog(http)
  return http
}

async function addWebSockets(http: Http): Promise<void> {
  const socketRoutes = new Set<string>()
  http.addHook('onRoute', ({ url, websocket: isSocket, wsHandler }) => {
    if (isSocket === true || wsHandler !== undefined) socketRoutes.add(url)
  })
  // Before the plugin's own hook, which would close them without saying why.
  http.addHook('preClose', (done) => {
    for (const socket of http.websocketServer.clients) socket.close(1001, 'the server is stopping')
    done()
  })
  await http.register(websocket, { options: { maxPayload: 1024, handleProtocols } })
  // After the plugin's own hook, by which it knows the connections that it has to close.
  http.addHook('onRequest', ({ ws, routeOptions }, _reply, done) => {
    if (!ws || socketRoutes.has(routeOptions.url ?? '')) done()
    else done(new Refusal('malformed_request', 'There is no WebSocket at this address'))
  })
}

/** A browser sends its key as a subprotocol, which the server has to accept by name. */
function handleProtocols(protocols: Set<string>): string | false {
  return [...protocols].find((one) => one.startsWith('bearer.')) ?? false
}

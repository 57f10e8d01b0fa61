import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../catalog/refusal.ts'
import { isDatabaseAway } from '../db/unreachable.ts'
import { statusOf } from '../http/errors.ts'
import type { Http } from '../http/http.ts'
import { queueFullAsRefusal } from '../http/overload.ts'
import type { Checkout } from '../links/checkout.ts'
import { busyScreen, troubleScreen, unknownScreen } from './ended-screens.ts'
import { formActions } from './form-actions.ts'
import { addFormParser } from './form-body.ts'
import type { Limits } from './limits.ts'
import { openLimits } from './limits.ts'
import { isFromOurPage } from './same-site.ts'
import { screenOf } from './screen-of-state.ts'
import { sendScreen } from './send-screen.ts'
import { updateHandlers } from './state-updates.ts'
import type { Action } from './visit.ts'
import { linkIdOf, readVisit } from './visit.ts'

export interface PayPageOptions {
  checkout: Checkout
  /** Where the pages are, such as '/pay'; an empty text is the root. */
  paths: string[]
  /** Where a browser says that our page is from, when a proxy hides it from us. */
  origin?: string
  limits?: Limits
}

/** The payer's pages under each path: /process/<link id>, plain forms that need no script. */
export async function addPayPages(http: Http, parts: PayPageOptions): Promise<void> {
  const { checkout, paths, origin, limits = openLimits() } = parts
  const actions = formActions(checkout)
  const live = updateHandlers(look, (id, signal) => checkout.follow(id, signal), limits)
  const schema = { hide: true }

  await http.register(async (scope: Http) => {
    addFormParser(scope)
    scope.setErrorHandler(answerTrouble)
    for (const path of paths) {
      const page = `${path}/process/:id`
      scope.get(page, { schema }, show)
      scope.get(`${page}/state`, { schema }, live.state)
      scope.get(`${page}/events`, { schema, exposeHeadRoute: false }, live.events)
      for (const [name, act] of Object.entries(actions)) {
        scope.post(`${page}/${name}`, { schema }, (request, reply) => take(request, reply, act))
        // Somebody reloads or shares the address of a form.
        scope.get(`${page}/${name}`, { schema }, async (request, reply) =>
          reply.redirect(readVisit(request, undefined).to(), 303),
        )
      }
      for (const rest of [`${path}/process`, `${path}/process/*`])
        scope.get(rest, { schema }, (request, reply) => sendUnknown(request, reply))
    }
  })

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const id = linkIdOf(request)
    const waitSeconds = limits.count('page', request.ip, id)
    if (waitSeconds > 0) return sendBusy(request, reply, waitSeconds)
    const view = await look(id)
    if (view === undefined) return sendUnknown(request, reply)
    const visit = readVisit(request, view)
    return sendScreen(request, reply, visit, screenOf(visit, view), view)
  }

  async function take(
    request: FastifyRequest,
    reply: FastifyReply,
    act: ReturnType<typeof formActions>[Action],
  ): Promise<FastifyReply> {
    const id = linkIdOf(request)
    const waitSeconds = limits.count('post', request.ip, id)
    if (waitSeconds > 0) return sendBusy(request, reply, waitSeconds)
    if (!isFromOurPage(request, origin)) {
      const visit = readVisit(request, undefined)
      return sendScreen(request, reply.code(403), visit, troubleScreen(visit, 'foreign'))
    }
    const view = await look(id)
    if (view === undefined) return sendUnknown(request, reply)
    return act({ request, reply, visit: readVisit(request, view), view })
  }

  async function look(id: string) {
    return id === '' ? undefined : checkout.look(id)
  }
}

/** The same to the byte for every link that there is not, but for the nonce. */
function sendUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visit = readVisit(request, undefined)
  return sendScreen(request, reply.code(404), visit, unknownScreen(visit))
}

function sendBusy(
  request: FastifyRequest,
  reply: FastifyReply,
  seconds: number,
): Promise<FastifyReply> {
  const visit = readVisit(request, undefined)
  reply.code(429).header('Retry-After', seconds)
  return sendScreen(request, reply, visit, busyScreen(visit, seconds))
}

/** Errors as pages too: what the payer did wrong, or we; never whether money moved. */
async function answerTrouble(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const problem = queueFullAsRefusal(thrown)
  const status = statusFor(problem)
  if (status >= 500) {
    request.log.error({ err: problem, requestId: request.id }, 'a payment page failed')
    if (status === 503) reply.header('Retry-After', 1)
  }
  request.isTurnedAway = problem instanceof Refusal && problem.kind === 'overloaded'
  const visit = readVisit(request, undefined)
  const shown = troubleScreen(visit, status >= 500 ? 'trouble' : 'broken')
  return sendScreen(request, reply.code(status), visit, shown)
}

function statusFor(problem: unknown): number {
  if (problem instanceof Refusal) return statusOf[problem.kind]
  const { statusCode = 500, code = '' } = problem as { statusCode?: number; code?: string }
  if (statusCode >= 400 && statusCode < 500 && code.startsWith('FST_')) return statusCode
  return isDatabaseAway(problem) ? 503 : 500
}

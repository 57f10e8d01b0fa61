import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#base/kit/refusal.ts'
import type { SecretKey } from '#base/sealing/seal.ts'
import { isTemporary } from '#data/db/unreachable.ts'
import { statusOf } from '#edge/http/errors.ts'
import type { Http } from '#edge/http/http.ts'
import { otherCellOf } from '#edge/http/other-cell.ts'
import { queueFullAsRefusal } from '#edge/http/overload.ts'
import { addFormParser } from '#edge/pages/form-body.ts'
import { isFromOurPage } from '#edge/pages/same-site.ts'
import type { Checkout, PayerView } from '#money/links/checkout.ts'
import { readNumber } from './entry.ts'
import { busyScreen, elsewhereScreen, errorScreen, unknownScreen } from './error-screens.ts'
import { formActions } from './form-actions.ts'
import { type Limits, openLimits } from './limits.ts'
import { type Note, openNotes } from './notes.ts'
import type { Screen } from './page.ts'
import { giveUpScreen, reviewScreen } from './review-screens.ts'
import { screenOf } from './screen-of-state.ts'
import { logoHandler } from './send-logo.ts'
import { sendScreen } from './send-screen.ts'
import { updateHandlers } from './state-updates.ts'
import { type Action, linkIdOf, readVisit, type Site, type Visit } from './visit.ts'

// Our forms have at most three short fields.
const formLimits = { bytesMax: 4096, fieldsMax: 10 }

export interface PayPageOptions extends Omit<Site, 'notes'> {
  checkout: Checkout
  secretKey: SecretKey
  /** The paths under which the pages are served, such as '/pay'; empty: the root. */
  paths: string[]
  /** The Origin that browsers send with our forms, when a proxy replaces the Host header. */
  origin?: string
  limits?: Limits
}

/**
 * Serves the payment page at /process/<link id> under each path, what its forms send, and the short
 * addresses that lead to it.
 */
export async function addPayPages(http: Http, options: PayPageOptions): Promise<void> {
  const { checkout, paths, origin, limits = openLimits() } = options
  const actions = formActions(checkout)
  const findView = async (id: string) => (id === '' ? undefined : checkout.look(id))
  const updates = updateHandlers(findView, (id, signal) => checkout.follow(id, signal), limits)
  const schema = { hide: true }
  const site = { ...options, notes: openNotes(options.secretKey) }
  const visitOf = (request: FastifyRequest, view?: PayerView) => readVisit(request, view, site)
  const onRequest = limitForms(limits, visitOf)

  await http.register(async (scope: Http) => {
    addFormParser(scope, formLimits)
    scope.setErrorHandler((thrown, request, reply) =>
      answerError(thrown, request, reply, visitOf(request)),
    )
    for (const path of paths) {
      const page = `${path}/process/:id`
      scope.get(page, { schema }, pageHandler(screenOf))
      scope.get(`${page}/state`, { schema }, updates.state)
      scope.get(`${page}/events`, { schema, exposeHeadRoute: false }, updates.events)
      for (const [name, act] of Object.entries(actions)) {
        scope.post(`${page}/${name}`, { schema, onRequest }, formHandler(act))
        scope.get(`${page}/${name}`, { schema }, pageHandler(steps[name as Action]))
      }
      scope.get(`${path}/p/:short`, { schema }, leadToPage(checkout, limits, visitOf))
      scope.get(`${path}/process/logo/:hash`, { schema }, logoHandler(checkout, limits))
      for (const rest of [`${path}/process`, `${path}/process/*`, `${path}/p`, `${path}/p/*`])
        scope.get(rest, { schema }, showUnknown)
    }
  })

  /** Sends a screen, or leads to the page where there is none in this state. */
  function pageHandler(screenFor?: (visit: Visit, view: PayerView) => Screen | undefined) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const id = linkIdOf(request)
      const waitSeconds = limits.count('page', request.ip, id)
      if (waitSeconds > 0) return sendBusy(request, reply, visitOf(request), waitSeconds)
      const view = await findView(id)
      if (view === undefined) return sendUnknown(request, reply, visitOf(request))
      const visit = visitOf(request, view)
      const screen = screenFor?.(visit, view)
      return screen === undefined
        ? reply.redirect(visit.hrefOf(), 303)
        : sendScreen(request, reply, visit, screen, view)
    }
  }

  async function showUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const waitSeconds = limits.count('page', request.ip, '')
    const visit = visitOf(request)
    return waitSeconds > 0
      ? sendBusy(request, reply, visit, waitSeconds)
      : sendUnknown(request, reply, visit)
  }

  function formHandler(act: ReturnType<typeof formActions>[Action]) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      if (!isFromOurPage(request, origin)) return leadOn(reply, visitOf(request), 'foreign')
      const view = await findView(linkIdOf(request))
      if (view === undefined) return reply.redirect(visitOf(request).hrefOf(), 303)
      return act({ request, reply, visit: visitOf(request, view), view })
    }
  }
}

/** The steps of a payment that have an address of their own, while a wallet can be chosen. */
const steps: Partial<Record<Action, (visit: Visit, view: PayerView) => Screen | undefined>> = {
  review: (visit, view) => {
    const { entry } = visit.note
    if (view.state.kind !== 'choose' || entry === undefined) return undefined
    const reading = readNumber(view, entry)
    return reading.kind === 'problem' ? undefined : reviewScreen(visit, view, entry, reading)
  },
  'give-up': (visit, view) =>
    view.state.kind === 'choose' ? giveUpScreen(visit, view) : undefined,
}

/** From the short address of a link to its page, in the language that is asked for. */
function leadToPage(
  { idOfShort }: Checkout,
  limits: Limits,
  visitOf: (request: FastifyRequest) => Visit,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { short = '' } = request.params as { short?: string }
    const waitSeconds = limits.count('page', request.ip, short)
    if (waitSeconds > 0) return sendBusy(request, reply, visitOf(request), waitSeconds)
    const id = await idOfShort(short)
    if (id === undefined) return sendUnknown(request, reply, visitOf(request))
    const [, query] = request.originalUrl.split('?')
    return reply.redirect(`../process/${id}${query === undefined ? '' : `?${query}`}`, 302)
  }
}

/** Limits how often forms are sent, before they are read. */
function limitForms(limits: Limits, visitOf: (request: FastifyRequest) => Visit) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const waitSeconds = limits.count('post', request.ip, linkIdOf(request))
    if (waitSeconds === 0) return undefined
    const note = { remark: 'busy', waitSeconds } as const
    return reply.redirect(visitOf(request).hrefOf(undefined, { note }), 303)
  }
}

/**
 * The same bytes for every link that does not exist, except for the nonce. An address of another
 * cell may be right there.
 */
function sendUnknown(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
): Promise<FastifyReply> {
  if (otherCellOf(request) !== undefined)
    return sendScreen(request, reply.code(421), visit, elsewhereScreen(visit))
  return sendScreen(request, reply.code(404), visit, unknownScreen(visit))
}

function sendBusy(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  seconds: number,
): Promise<FastifyReply> {
  reply.code(429).header('Retry-After', seconds)
  return sendScreen(request, reply, visit, busyScreen(visit, seconds))
}

/** Answers an error with a page, which never says whether money moved. */
async function answerError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
): Promise<FastifyReply> {
  const problem = queueFullAsRefusal(thrown)
  const status = statusFor(problem)
  if (status >= 500) {
    request.log.error({ err: problem, requestId: request.id }, 'a payment page failed')
    if (status === 503) reply.header('Retry-After', 1)
  }
  request.isTurnedAway = problem instanceof Refusal && problem.kind === 'overloaded'
  const cause = status >= 500 ? 'internal' : 'malformed'
  if (request.method === 'POST') return leadOn(reply, visit, cause)
  return sendScreen(request, reply.code(status), visit, errorScreen(visit, cause))
}

/**
 * The answer to a form that did nothing: the page says what has become of the payment, and a reload
 * of it sends nothing again.
 */
function leadOn(
  reply: FastifyReply,
  visit: Visit,
  remark: NonNullable<Note['remark']>,
): FastifyReply {
  return reply.redirect(visit.hrefOf(undefined, { note: { remark } }), 303)
}

function statusFor(problem: unknown): number {
  if (problem instanceof Refusal) return statusOf[problem.kind]
  const { statusCode = 500, code = '' } = problem as { statusCode?: number; code?: string }
  if (statusCode >= 400 && statusCode < 500 && code.startsWith('FST_')) return statusCode
  return isTemporary(problem) ? 503 : 500
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from '#base/kit/html.ts'
import { randomText } from '#base/kit/ids.ts'
import { languages } from '#base/kit/language.ts'
import { sendPage } from '#edge/pages/send-page.ts'
import { type Action, isOpsAction } from '#merchants/people/rights.ts'
import type { Session } from '#merchants/people/sessions/sessions.ts'
import type { Assets } from './assets.ts'
import { readCookie, sessionCookie } from './cookies.ts'
import { forbiddenScreen, unknownScreen } from './error-screens.ts'
import { type Screen, writeGuestPage, writePage } from './layout.ts'
import type { PagesParts, PersonVisit } from './pages.ts'
import { type AnyVisit, type Guest, originOf, readGuest, visitFor } from './visit.ts'

export type Senders = ReturnType<typeof openSenders>

/** How a screen is sent, in the frame or alone, and what a request says. */
export function openSenders({ people, clock, isSandbox, isHttps }: PagesParts, assets: Assets) {
  const found = new WeakMap<FastifyRequest, Promise<Session | undefined>>()
  const sessionOf = (request: FastifyRequest): Promise<Session | undefined> => {
    const session = found.get(request) ?? findSession(request)
    found.set(request, session)
    return session
  }

  async function findSession(request: FastifyRequest): Promise<Session | undefined> {
    const cookie = readCookie(request, sessionCookie(isHttps))
    if (cookie === undefined) return undefined
    const session = await people.sessions.find({ cookie, ...originOf(request) })
    return session && { ...session, message: toldAt(request, session) }
  }

  return {
    guestOf: (request: FastifyRequest): Guest =>
      readGuest(request, { now: clock.now(), isSandbox, nonce: randomText(16) }),

    /** Who sent a request; looked up once for each. */
    sessionOf,

    /** Before a form is read: whoever is not signed in has nothing to send. */
    needSession: async (request: FastifyRequest, reply: FastifyReply) => {
      if ((await sessionOf(request)) === undefined)
        return reply.redirect(signInAddress(request), 303)
    },

    send: async (visit: AnyVisit, reply: FastifyReply, screen: Screen): Promise<FastifyReply> => {
      const { request, session, language, nonce } = visit
      await people.sessions.forgetMessage(session)
      reply.code(screen.status ?? 200)
      const page = writePage(visit, screen, assets)
      return sendPage(request, reply, page, { language, policy: policyOf(nonce) })
    },

    sendAlone: (guest: Guest, reply: FastifyReply, screen: Screen): Promise<FastifyReply> => {
      const { request, language, nonce } = guest
      reply.code(screen.status ?? 200)
      const page = writeGuestPage(guest, screen, assets)
      return sendPage(request, reply, page, { language, policy: policyOf(nonce) })
    },
  }
}

/**
 * What a session has to tell on this very page. Another window may read itself again, or a browser
 * fetch a page that nobody sees, before the page is asked for that an action has led to.
 */
function toldAt(request: FastifyRequest, { message }: Session): Session['message'] {
  const isPrefetch = ['sec-purpose', 'x-sec-purpose'].some((name) =>
    String(request.headers[name]).startsWith('prefetch'),
  )
  const [path] = request.originalUrl.split('?')
  const isHere = message?.path === undefined || message.path === path
  return isPrefetch || !isHere ? null : message
}

export type Gates = ReturnType<typeof openGates>

/** Who gets through to a page; others are sent to the page that helps them. */
export function openGates({ people }: PagesParts, senders: Senders) {
  const { guestOf, sessionOf, send, sendAlone } = senders
  const { token: formToken } = people.forms
  return {
    /** For a person who may do this in the client that is shown, or for the gateway. */
    forVisit: async (
      request: FastifyRequest,
      reply: FastifyReply,
      action: Action,
      work: (visit: AnyVisit) => Promise<FastifyReply | undefined> | FastifyReply | undefined,
    ): Promise<FastifyReply> => {
      const session = await sessionOf(request)
      if (session === undefined) return reply.redirect(signInAddress(request), 303)
      const guest = guestOf(request)
      if (mustSetUpFactor(guest, session)) return reply.redirect(factorAddress, 303)
      const visit = visitFor(action, guest, session, formToken)
      if (visit === undefined && isOpsAction(action)) {
        // To everybody else these pages do not exist.
        const own = visitFor('home.read', guest, session, formToken)
        const screen = unknownScreen(own ?? guest)
        return own === undefined ? sendAlone(guest, reply, screen) : send(own, reply, screen)
      }
      if (visit === undefined) return reply.redirect(withoutClient(session), 303)
      if (!visit.may(action)) return send(visit, reply, forbiddenScreen(visit))
      // A reply that is awaited becomes undefined once it is sent.
      await work(visit)
      return reply.sent ? reply : send(visit, reply, unknownScreen(visit))
    },

    /** For a person who is signed in. */
    forPerson: async (
      request: FastifyRequest,
      reply: FastifyReply,
      work: (visit: PersonVisit) => Promise<FastifyReply>,
    ): Promise<FastifyReply> => {
      const session = await sessionOf(request)
      if (session === undefined) return reply.redirect(signInAddress(request), 303)
      const guest = guestOf(request)
      if (mustSetUpFactor(guest, session)) return reply.redirect(factorAddress, 303)
      const token = () => formToken({ sessionId: session.id, clientId: null, seen: {} })
      const tokenField = () => html`<input type="hidden" name="token" value="${token()}">`
      const language = languages.find((one) => one === guest.query.lang) ?? session.language
      return work({ ...guest, language, session, tokenField })
    },
  }
}

const factorAddress = '/dashboard/account/second-factor'
const withoutFactor = new Set([
  factorAddress,
  '/dashboard/account/language',
  '/dashboard/account/passkeys',
  '/dashboard/account/passkeys/new',
  '/dashboard/sign-out',
])

/** Whether an operator of a live gateway has to set up a second factor before anything else. */
function mustSetUpFactor({ isSandbox, path }: Guest, session: Session): boolean {
  const { operatorRole, hasSecondFactor } = session
  return !isSandbox && operatorRole !== null && !hasSecondFactor && !withoutFactor.has(path)
}

/** Where a person is sent for whom no client is shown. */
function withoutClient({ operatorRole }: Session): string {
  return operatorRole === null ? '/dashboard/clients' : '/dashboard/ops'
}

/** The page to sign in at, which leads back to a page that was asked for. */
function signInAddress(request: FastifyRequest): string {
  const then = request.method === 'GET' ? request.originalUrl : '/dashboard'
  return then === '/dashboard'
    ? '/dashboard/sign-in'
    : `/dashboard/sign-in?then=${encodeURIComponent(then)}`
}

/** Our own style and scripts, forms and connections only. */
function policyOf(nonce: string): string[] {
  return [
    "default-src 'none'",
    `style-src 'self' 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
}

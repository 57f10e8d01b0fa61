import type { FastifyRequest } from 'fastify'
import { toStorable } from '../../db/storable-text.ts'
import { networkOf } from '../../http/address-limit.ts'
import type { Language } from '../../kit/language.ts'
import { languages, readAcceptLanguage } from '../../kit/language.ts'
import type { Action, AnyRole } from '../../people/rights.ts'
import { may } from '../../people/rights.ts'
import type { Session } from '../../people/sessions.ts'

/** What every page knows of a request, signed in or not. */
export interface Guest {
  request: FastifyRequest
  language: Language
  now: Date
  isSandbox: boolean
  /** The path without its query. */
  path: string
  /** The parameters of the address; of several with one name, the last. */
  query: Record<string, string>
  /** A part of the path, such as the id of /dashboard/transactions/:id. */
  part(name: string): string
  nonce: string
}

/** A request of a person who is signed in and looks at a client. */
export interface Visit extends Guest {
  session: Session
  client: { id: number; name: string }
  role: AnyRole
  /** The zone in which times are shown. */
  zone: string
  /** Who is named in the audit log. */
  actor: string
  may(action: Action): boolean
  /** A token for one form of this page. */
  formToken(): string
}

/** Reads what a request says without a session. */
export function readGuest(
  request: FastifyRequest,
  site: { now: Date; isSandbox: boolean; nonce: string },
): Guest {
  const [path = '/', search = ''] = request.originalUrl.split('?')
  const query = Object.fromEntries(
    [...new URLSearchParams(search)].map((pair) => pair.map(toStorable)),
  )
  const asked = languages.find((one) => one === query.lang)
  const preferred = readAcceptLanguage(request.headers['accept-language'], {
    fallback: 'fr',
    tie: 'first',
  })
  const parts = request.params as Record<string, string>
  return {
    ...site,
    request,
    language: asked ?? preferred,
    path,
    query,
    part: (name) => toStorable(parts[name] ?? ''),
  }
}

/** A visit of a person to the client that their session shows; undefined: none is shown. */
export function visitOf(
  guest: Guest,
  session: Session,
  formToken: (sessionId: string) => string,
): Visit | undefined {
  const { clientId, clientName, timeZone, role, language, email } = session
  if (clientId === null || clientName === null || role === null) return undefined
  return {
    ...guest,
    language,
    session,
    client: { id: clientId, name: clientName },
    role,
    zone: timeZone ?? 'UTC',
    actor: email,
    may: (action) => may(role, action),
    formToken: () => formToken(session.id),
  }
}

/** Where a request comes from, for sessions and limits. */
export function originOf(request: FastifyRequest) {
  return {
    address: request.ip,
    network: networkOf(request.ip),
    agent: request.headers['user-agent'] ?? '',
  }
}

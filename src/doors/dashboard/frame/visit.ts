import type { FastifyRequest } from 'fastify'
import { type Language, languages, readAcceptLanguage } from '#base/kit/language.ts'
import { toStorable } from '#data/db/storable-text.ts'
import { networkOf } from '#edge/http/address-limit.ts'
import { withFewParameters } from '#edge/http/protocol-checks.ts'
import {
  type Action,
  type AnyRole,
  isOpsAction,
  may,
  type OperatorRole,
  type OpsAction,
  type Role,
} from '#merchants/people/rights.ts'
import type { FormSeal, SealedFacts } from '#merchants/people/sessions/forms.ts'
import type { Session } from '#merchants/people/sessions/sessions.ts'

/** What every page knows of a request, signed in or not. */
export interface Guest {
  request: FastifyRequest
  language: Language
  now: Date
  isSandbox: boolean
  /** The path without its query. */
  path: string
  /** The parameters of the address; of several with one name, the last, but every `status`. */
  query: Record<string, string>
  /** A part of the path, such as the id of /dashboard/transactions/:id. */
  part(name: string): string
  nonce: string
}

/** A request of a person who is signed in, to a page in the frame. */
export interface AnyVisit extends Guest {
  session: Session
  /** The client that is shown; null: an operator looks at the gateway. */
  client: { id: number; name: string } | null
  role: AnyRole
  /** The zone in which times are shown. */
  zone: string
  /** Who is named in the audit log. */
  actor: string
  may(action: Action): boolean
  /** A token for one form of this page, and what it shows. */
  formToken(seen?: SealedFacts): string
}

/** A visit to a client. */
export interface Visit extends AnyVisit {
  client: { id: number; name: string }
  role: Role
}

/** A visit of an operator to the gateway itself. */
export interface OpsVisit extends AnyVisit {
  client: null
  role: OperatorRole
}

/** The visit that a page for an action gets; that of one's own account is for everybody. */
export type VisitFor<A extends Action> = A extends OpsAction
  ? OpsVisit
  : A extends 'account.change'
    ? AnyVisit
    : Visit

/** Reads what a request says without a session. */
export function readGuest(
  request: FastifyRequest,
  site: { now: Date; isSandbox: boolean; nonce: string },
): Guest {
  const [path = '/', search = ''] = withFewParameters(request.originalUrl).split('?')
  const parameters = new URLSearchParams(search)
  const query = Object.fromEntries([...parameters].map((pair) => pair.map(toStorable)))
  const statuses = parameters.getAll('status').filter((one) => one !== '')
  if (statuses.length > 1) query.status = toStorable(statuses.join(','))
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

/**
 * A visit with the role that counts for an action: in the client that the session shows, or for the
 * gateway. Undefined: the person has none of that kind.
 */
export function visitFor(
  action: Action,
  guest: Guest,
  session: Session,
  formToken: (form: FormSeal & { sessionId: string }) => string,
): AnyVisit | undefined {
  const { clientId, clientName, timeZone, role, operatorRole } = session
  const visitAs = (own: AnyRole, client: AnyVisit['client'], zone: string): AnyVisit => ({
    ...guest,
    language: session.language,
    session,
    client,
    role: own,
    zone,
    actor: session.email,
    may: (one) => may(own, one),
    formToken: (seen = {}) =>
      formToken({ sessionId: session.id, clientId: client?.id ?? null, seen }),
  })
  if (!isOpsAction(action) && clientId !== null && clientName !== null && role !== null)
    return visitAs(role, { id: clientId, name: clientName }, timeZone ?? 'UTC')
  const isForOperators = isOpsAction(action) || action === 'account.change'
  return operatorRole !== null && isForOperators ? visitAs(operatorRole, null, 'UTC') : undefined
}

/** Where a request comes from, for sessions and limits. */
export function originOf(request: FastifyRequest) {
  return {
    address: request.ip,
    network: networkOf(request.ip),
    agent: request.headers['user-agent'] ?? '',
  }
}

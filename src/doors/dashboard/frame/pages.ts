import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '#base/kit/clock.ts'
import type { Html } from '#base/kit/html.ts'
import type { Audit } from '#data/db/audit.ts'
import { actingFrom } from '#data/db/audit-origin.ts'
import { limitPerNetwork } from '#edge/http/address-limit.ts'
import type { Http } from '#edge/http/http.ts'
import { mayBeSlow } from '#edge/http/slow-senders.ts'
import { addFormParser, asFormRefusal } from '#edge/pages/form-body.ts'
import { isFromOurPage } from '#edge/pages/same-site.ts'
import type { People } from '#merchants/people/open.ts'
import { type Action, isOpsAction, may } from '#merchants/people/rights.ts'
import type { Session } from '#merchants/people/sessions/sessions.ts'
import {
  type ActionRules,
  type Answer,
  type Done,
  type Form,
  formOf,
  runAction,
} from './actions.ts'
import { addAssets } from './assets.ts'
import { addCellAddresses } from './cell-addresses.ts'
import { errorScreen, forbiddenScreen, statusFor } from './error-screens.ts'
import { addFollowing, type Followed, type Following, type MarkReaders } from './following.ts'
import { addForm, type FormRules } from './form-page.ts'
import { type Gates, openGates, openSenders, type Senders } from './handlers.ts'
import type { Screen } from './layout.ts'
import { addStreamParser } from './streamed-uploads.ts'
import { addUploadParser } from './uploads.ts'
import type { Guest, VisitFor } from './visit.ts'

export interface PagesParts {
  audit: Audit
  clock: Clock
  people: People
  marks: MarkReaders
  isSandbox: boolean
  isHttps: boolean
  /** The Origin that browsers send with our forms, when a proxy replaces the Host header. */
  origin?: string
}

/**
 * How screens and actions are added. Each checks the session and the person's rights first. Actions
 * `ops.…` are for operators, whose visits have no client; to others their addresses are a 404.
 */
export interface Pages {
  /** GET: shows a screen; undefined is a 404. An open page reads itself again as this changes. */
  screen<A extends Action>(
    path: string,
    action: A,
    show: (visit: VisitFor<A>) => Answer<Screen | undefined>,
    followed?: Followed,
  ): void
  /** POST: does something once and leads on, or shows the form again with what is wrong. */
  action<A extends Action, S = undefined>(
    path: string,
    rules: ActionRules<A, S>,
    act: (visit: VisitFor<A>, form: Form, subject: S) => Answer<Done | Screen | undefined>,
  ): void
  /** GET and POST: a form and what it does. */
  form<A extends Action, S = undefined>(
    path: string,
    rules: FormRules<A, S>,
    act: (visit: VisitFor<A>, form: Form, subject: S) => Answer<Done | Screen | undefined>,
  ): void
  /**
   * The same for a form with a file, of which one byte more than `bytesMax` is read at most;
   * `streamed`: with one of any length, which `act` reads as it arrives.
   */
  upload<A extends Action, S = undefined>(
    path: string,
    rules: ActionRules<A, S> & { bytesMax: number | 'streamed' },
    act: (visit: VisitFor<A>, form: Form, subject: S) => Answer<Done | Screen | undefined>,
  ): void
  /** GET: answers with something else than a page, such as a file. */
  answer<A extends Action>(
    path: string,
    action: A,
    send: (visit: VisitFor<A>, reply: FastifyReply) => Answer<FastifyReply | undefined>,
  ): void
  /** GET for people who are not signed in. */
  guest(
    path: string,
    show: (guest: Guest, session: Session | undefined) => Answer<Screen | { to: string }>,
  ): void
  /** POST for people who are not signed in, or may be. */
  guestAction(
    path: string,
    act: (
      guest: Guest,
      form: Form,
      reply: FastifyReply,
      session: Session | undefined,
    ) => Answer<{ to: string } | Screen>,
  ): void
  /** GET for a person who is signed in, whatever client is shown. */
  person(path: string, show: (visit: PersonVisit) => Answer<Screen>): void
  /** POST for a person who is signed in, whatever client is shown. */
  personAction(
    path: string,
    act: (visit: PersonVisit, form: Form, reply: FastifyReply) => Answer<{ to: string } | Screen>,
  ): void
  /** For what the parts above cannot do. */
  scope: Http
  parts: PagesParts
}

/** A request of a person who is signed in. */
export interface PersonVisit extends Guest {
  session: Session
  tokenField(): Html
}

// The longest form is an operator's, of everything that a client may use.
const formLimits = { bytesMax: 100_000, fieldsMax: 1000 }
// The forms of guests have at most five fields, of which a goal to return to is the longest.
const guestFormLimits = { bodyLimit: 8192, config: { formFieldsMax: 50 } }
// Of one network; a town behind one address has many people who sign in.
const guestFormsPerMinute = 300

const schema = { hide: true }

/** Opens a part of the server for pages, and registers what `add` adds. */
export async function addPages(
  http: Http,
  parts: PagesParts,
  add: (pages: Pages) => void,
): Promise<void> {
  await http.register(async (scope: Http) => {
    // What is done for this request is recorded with the address that it came from.
    scope.addHook('preHandler', (request, _reply, done) => actingFrom(request.ip, done))
    addCellAddresses(scope, parts.isHttps)
    addFormParser(scope, formLimits)
    addUploadParser(scope)
    const senders = openSenders(parts, addAssets(scope))
    const gates = openGates(parts, senders)
    const following = addFollowing(scope, parts)
    scope.setErrorHandler((thrown, request, reply) => answerError(senders, thrown, request, reply))
    const ofClients = clientPages(scope, { ...parts, following }, senders, gates)
    const pages: Pages = {
      ...ofClients,
      form: (path, rules, act) => addForm(ofClients, path, rules, act),
      ...personPages(scope, parts, senders, gates),
      ...guestPages(scope, parts, senders),
      scope,
      parts,
    }
    add(pages)
    pages.screen('/dashboard/*', 'home.read', () => undefined)
    pages.screen('/dashboard/ops/*', 'ops.read', () => undefined)
  })
}

function clientPages(
  scope: Http,
  parts: PagesParts & { following: Following },
  senders: Senders,
  { forVisit }: Gates,
): Pick<Pages, 'screen' | 'answer' | 'action' | 'upload'> {
  const { send, sessionOf } = senders
  /** For an action of its own kind, `forVisit` makes the visit that the page expects. */
  const gate = <A extends Action>(
    request: FastifyRequest,
    reply: FastifyReply,
    action: A,
    work: (visit: VisitFor<A>) => Answer<FastifyReply | undefined>,
  ) => forVisit(request, reply, action, (visit) => work(visit as VisitFor<A>))
  const run = <A extends Action, S>(
    request: FastifyRequest,
    reply: FastifyReply,
    rules: ActionRules<A, S>,
    act: (visit: VisitFor<A>, form: Form, subject: S) => Answer<Done | Screen | undefined>,
  ) =>
    gate(request, reply, rules.action, async (visit) => {
      const result = await runAction({ ...parts, visit, reply, rules, act })
      if (result === 'sent') return reply
      return result === undefined ? undefined : send(visit, reply, result)
    })
  return {
    screen: (path, action, show, followed) =>
      scope.get(path, { schema }, (request, reply) =>
        gate(request, reply, action, async (visit) => {
          const follow = followed && (await parts.following(visit, followed))
          const screen = await show(visit)
          return screen && send(visit, reply, { ...screen, ...(follow && { follow }) })
        }),
      ),
    answer: (path, action, answer) =>
      scope.get(path, { schema }, (request, reply) =>
        gate(request, reply, action, (visit) => answer(visit, reply)),
      ),
    action: (path, rules, act) =>
      scope.post(path, { schema, onRequest: senders.needSession }, (request, reply) =>
        run(request, reply, rules, act),
      ),
    upload: (path, { bytesMax, ...rules }, act) => {
      const isStreamed = bytesMax === 'streamed'
      const add = (to: Http) =>
        to.post(
          path,
          {
            schema,
            ...(isStreamed ? {} : { config: { uploadBytesMax: bytesMax } }),
            // Before the body is read: it is large, and strangers have nothing to send.
            onRequest: async (request, reply) => {
              const session = await sessionOf(request)
              if (session === undefined) return reply.redirect('/dashboard/sign-in', 303)
              const role = isOpsAction(rules.action) ? session.operatorRole : session.role
              if (role !== null && may(role, rules.action)) mayBeSlow(scope, request.raw)
            },
          },
          (request, reply) => run(request, reply, rules, act),
        )
      if (!isStreamed) return void add(scope)
      void scope.register(async (own: Http) => {
        addStreamParser(own)
        add(own)
      })
    },
  }
}

function personPages(
  scope: Http,
  { people, origin }: PagesParts,
  senders: Senders,
  { forPerson }: Gates,
): Pick<Pages, 'person' | 'personAction'> {
  const { sendAlone } = senders
  return {
    person: (path, show) =>
      scope.get(path, { schema }, (request, reply) =>
        forPerson(request, reply, async (visit) => sendAlone(visit, reply, await show(visit))),
      ),
    personAction: (path, act) =>
      scope.post(path, { schema, onRequest: senders.needSession }, (request, reply) =>
        forPerson(request, reply, async (visit) => {
          const form = formOf(request)
          const seal = people.forms.read({
            sessionId: visit.session.id,
            token: form.raw('token'),
          })
          if (seal === undefined || !isFromOurPage(request, origin))
            return sendAlone(visit, reply, forbiddenScreen(visit))
          return leadOrShow(senders, visit, reply, await act(visit, form, reply))
        }),
      ),
  }
}

function guestPages(
  scope: Http,
  { origin }: PagesParts,
  senders: Senders,
): Pick<Pages, 'guest' | 'guestAction'> {
  const { guestOf, sessionOf, sendAlone } = senders
  const onRequest = limitPerNetwork(guestFormsPerMinute)
  return {
    guest: (path, show) =>
      scope.get(path, { schema }, async (request, reply) => {
        const guest = guestOf(request)
        return leadOrShow(senders, guest, reply, await show(guest, await sessionOf(request)))
      }),
    guestAction: (path, act) =>
      scope.post(path, { schema, onRequest, ...guestFormLimits }, async (request, reply) => {
        const guest = guestOf(request)
        if (!isFromOurPage(request, origin)) return sendAlone(guest, reply, forbiddenScreen(guest))
        const session = await sessionOf(request)
        return leadOrShow(senders, guest, reply, await act(guest, formOf(request), reply, session))
      }),
  }
}

function leadOrShow(
  { sendAlone }: Senders,
  guest: Guest,
  reply: FastifyReply,
  result: Screen | { to: string },
): Promise<FastifyReply> | FastifyReply {
  return 'to' in result ? reply.redirect(result.to, 303) : sendAlone(guest, reply, result)
}

function answerError(
  { guestOf, sendAlone }: Senders,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const problem = asFormRefusal(thrown, request)
  const status = statusFor(problem)
  if (status >= 500)
    request.log.error({ err: thrown, requestId: request.id }, 'a page of the dashboard failed')
  if (status === 503) reply.header('Retry-After', 1)
  const guest = guestOf(request)
  return sendAlone(guest, reply, { ...errorScreen(guest, problem), status })
}

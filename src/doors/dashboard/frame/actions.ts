import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#base/kit/refusal.ts'
import { actingByForm } from '#data/db/audit-origin.ts'
import { toStorable } from '#data/db/storable-text.ts'
import { isFromOurPage } from '#edge/pages/same-site.ts'
import type { Action } from '#merchants/people/rights.ts'
import type { FormSeal, SealedFacts } from '#merchants/people/sessions/forms.ts'
import type { Message } from '#merchants/people/sessions/sessions.ts'
import { auditedFields } from './audited-fields.ts'
import { changedNotice, changedScreen, otherClientScreen } from './changed-screen.ts'
import { type ConfirmProblem, confirmFields, confirmScreen } from './confirm.ts'
import { deviceCookie, readCookie } from './cookies.ts'
import { errorScreen, forbiddenScreen, underWayScreen } from './error-screens.ts'
import type { Problems } from './fields.ts'
import type { Screen } from './layout.ts'
import type { PagesParts } from './pages.ts'
import { problemsOf } from './problems.ts'
import { changesSince, keepUntouched, type Reviewed } from './reviewed.ts'
import type { StreamedFile } from './streamed-uploads.ts'
import type { UploadedFile } from './uploads.ts'
import { originOf, type VisitFor } from './visit.ts'

/** Where an action leads, and what the page there tells. */
export interface Done extends Partial<Omit<Message, 'path'>> {
  to: string
}

export interface ActionRules<A extends Action = Action, S = undefined> {
  action: A
  /** Moves money or gives rights: asks for the password again, unless that was minutes ago. */
  isSensitive?: boolean | 'each time'
  /** Null: its form shows nothing that could be something else when it is sent. */
  reviewed: Reviewed<VisitFor<A>, S> | null
  /** Shows the form again with what is wrong: what cannot be read, or what the verb refuses. */
  refused?(
    visit: VisitFor<A>,
    problems: Problems,
    form: Form,
    subject: S,
  ): Answer<Screen | undefined>
}

export type Answer<T> = Promise<T> | T

/** The fields of a form that was sent. */
export interface Form {
  /** A field without spaces around it; empty when it is missing. */
  get(name: string): string
  /** A field as it was typed, for passwords. */
  raw(name: string): string
  has(name: string): boolean
  /** A file that was sent with the form; undefined: none, or an empty one. */
  file(name: string): UploadedFile | undefined
  /** The same for a form whose file is read as it arrives. */
  streamed(name: string): StreamedFile | undefined
  fields: Record<string, string>
  /** The number of this form, which is the same when it is sent twice. */
  number: string
}

export function formOf(request: FastifyRequest): Form {
  return formFrom((request.body ?? {}) as Record<string, unknown>)
}

/** The same for the fields of an address. */
export function formFrom(body: Record<string, unknown>): Form {
  const fields = Object.fromEntries(
    Object.entries(body)
      .filter((pair): pair is [string, string] => typeof pair[1] === 'string')
      .map((pair) => pair.map(toStorable)),
  )
  const raw = (name: string) => (Object.hasOwn(fields, name) ? (fields[name] ?? '') : '')
  return {
    raw,
    get: (name) => raw(name).trim(),
    has: (name) => Object.hasOwn(fields, name),
    file: (name) => {
      const value = objectIn(body, name)
      const isFile = value !== undefined && 'bytes' in value
      return isFile && (value as UploadedFile).bytes.length > 0
        ? (value as UploadedFile)
        : undefined
    },
    streamed: (name) => {
      const value = objectIn(body, name)
      const isFile = value !== undefined && 'content' in value
      return isFile && (value as StreamedFile).name !== '' ? (value as StreamedFile) : undefined
    },
    fields,
    number: raw('token').split('.')[0] ?? '',
  }
}

function objectIn(body: Record<string, unknown>, name: string): object | undefined {
  const value = Object.hasOwn(body, name) ? body[name] : undefined
  return typeof value === 'object' && value !== null ? value : undefined
}

interface ActionRun<A extends Action, S> extends PagesParts {
  visit: VisitFor<A>
  reply: FastifyReply
  rules: ActionRules<A, S>
  act(visit: VisitFor<A>, form: Form, subject: S): Promise<Result> | Result
}

type Result = Done | Screen | undefined

const frameFields = new Set(['token', ...confirmFields])

/**
 * Runs an action once for each form, however often the form is sent, and only while all is as the
 * person saw it. A form that is refused may be sent again. Answers 'sent' when it has led on to
 * another page.
 */
export async function runAction<A extends Action, S>(
  run: ActionRun<A, S>,
): Promise<Screen | 'sent' | undefined> {
  const { visit, people, reply, origin } = run
  const { request, session } = visit
  const { sessions, forms } = people
  const sessionId = session.id
  const form = formOf(request)
  const seal = forms.read({ sessionId, token: form.raw('token') })
  if (!isFromOurPage(request, origin) || seal === undefined) return forbiddenScreen(visit)
  const refused = (await whoseElse(run, seal)) ?? (await confirmation(run, form))
  if (refused !== undefined) return refused
  const claimed = { sessionId, token: form.number }
  const { isNew, location } = await forms.claim(claimed)
  if (!isNew) return location === null ? underWayScreen(visit) : leadTo(reply, location)
  let result: Result
  try {
    result = await actingByForm(form.number, () => actAsReviewed(run, form, seal.seen))
  } catch (problem) {
    await forms.release(claimed)
    if (!(problem instanceof Refusal)) throw problem
    return { ...errorScreen(visit, problem), status: 422 }
  }
  if (result === undefined || !('to' in result)) {
    await forms.release(claimed)
    return result === undefined ? undefined : { status: 422, ...result }
  }
  const { to, text, ...rest } = result
  if (text !== undefined) {
    const path = to.replace(/[?#].*/s, '')
    await sessions.tell({ sessionId, message: { text, path, ...rest } })
  }
  await forms.finish({ ...claimed, location: to })
  return leadTo(reply, to)
}

/** Refuses a form that was opened while another client was shown; one's own account is nobody's. */
async function whoseElse<A extends Action, S>(
  { visit, people, rules }: ActionRun<A, S>,
  { clientId }: FormSeal,
): Promise<Screen | undefined> {
  const shown = visit.client?.id ?? null
  if (rules.action === 'account.change' || clientId === shown) return undefined
  const own = await people.clientsOf(visit.session.personId)
  const whose = own.find((one) => one.clientId === clientId)
  if (whose === undefined || shown === null) return forbiddenScreen(visit)
  return otherClientScreen(visit, { id: whose.clientId, name: whose.name })
}

/** The screen that asks who it is once more, where that is needed. */
async function confirmation<A extends Action, S>(
  run: ActionRun<A, S>,
  form: Form,
): Promise<Screen | undefined> {
  const { visit, people, rules } = run
  const { session } = visit
  const { isSensitive = false } = rules
  if (!isSensitive || (isSensitive === true && people.sessions.isConfirmed(session)))
    return undefined
  const problem = await confirmProblem(run, form)
  if (problem === undefined) return undefined
  const { hasApp } = await people.factors.stateOf(session.personId)
  const passkey = await people.passkeys.offerUse(session.personId)
  return confirmScreen(visit, form.fields, { problem, hasApp, passkey })
}

/** Acts if all is as the person saw it; else they are asked again, and nothing is done. */
async function actAsReviewed<A extends Action, S>(
  run: ActionRun<A, S>,
  form: Form,
  seen: SealedFacts,
): Promise<Result> {
  const { visit, rules } = run
  const { reviewed } = rules
  if (reviewed === null) return actOn(run, form, undefined as S)
  let subject: S | undefined
  try {
    subject = await reviewed.find(visit, form)
  } catch (thrown) {
    if (reviewed.unread === undefined) throw thrown
    await audit(run, form)
    return reviewed.unread(visit, problemsOf(thrown, visit.language), form)
  }
  if (subject === undefined) return undefined
  const facts = reviewed.facts(visit, subject, form)
  keepUntouched(form.fields, seen, facts)
  const changes = changesSince(form.fields, seen, facts)
  if (changes.length === 0) return actOn(run, form, subject)
  if (reviewed.again !== undefined) {
    const notice = changedNotice(visit, seen, changes)
    const screen = await reviewed.again(visit, subject, form, notice)
    return screen && { ...screen, status: 409 }
  }
  const hasFiles = visit.request.headers['content-type']?.startsWith('multipart/') === true
  return changedScreen(visit, { fields: form.fields, seen, facts, changes, hasFiles })
}

/** Acts; what is refused becomes the form again, where the rules say how to show it. */
async function actOn<A extends Action, S>(
  run: ActionRun<A, S>,
  form: Form,
  subject: S,
): Promise<Result> {
  const { visit, rules, act } = run
  const refused = rules.refused ?? rules.reviewed?.unread
  await audit(run, form)
  try {
    return await act(visit, form, subject)
  } catch (thrown) {
    if (refused === undefined) throw thrown
    return refused(visit, problemsOf(thrown, visit.language), form, subject)
  }
}

function leadTo(reply: FastifyReply, to: string): 'sent' {
  void reply.redirect(to, 303)
  return 'sent'
}

/** What keeps a person from confirming; undefined: they have. */
async function confirmProblem<A extends Action, S>(
  { visit, people, isHttps }: ActionRun<A, S>,
  form: Form,
): Promise<ConfirmProblem | undefined> {
  const [passwordField, codeField, passkeyField] = confirmFields
  const { request, session } = visit
  const { personId } = session
  const credential = form.raw(passkeyField)
  if (credential !== '') {
    const signer = await people.passkeys.check({ credential, personId })
    if (signer === undefined) return 'wrong passkey'
    await people.sessions.confirm(session.id)
    return undefined
  }
  const code = form.get(codeField)
  if (code === '' && !form.has(passwordField)) return 'ask'
  if (code !== '') {
    if ((await people.factors.check({ personId, code })) !== 'right') return 'wrong'
    await people.sessions.confirm(session.id)
    return undefined
  }
  const { network } = originOf(request)
  const device = readCookie(request, deviceCookie(isHttps))
  const password = form.raw(passwordField)
  if (!(await people.passwords.check({ personId, password, network, device }))) return 'wrong'
  await people.sessions.confirm(session.id)
  return undefined
}

/** Records what a person is about to do: also what is then refused. */
async function audit<A extends Action, S>(
  { audit: log, visit, rules }: ActionRun<A, S>,
  form: Form,
): Promise<void> {
  const { actor, client, path } = visit
  const fields = Object.entries(form.fields).filter(([name]) => !frameFields.has(name))
  const details = { path, fields: auditedFields(Object.fromEntries(fields)) }
  await log.record({ actor, action: rules.action, clientId: client?.id ?? null, details })
}

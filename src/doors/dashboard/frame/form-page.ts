import type { Html } from '#base/kit/html.ts'
import type { Action } from '#merchants/people/rights.ts'
import { type ActionRules, type Answer, type Done, type Form, formFrom } from './actions.ts'
import type { Problems } from './fields.ts'
import type { Screen } from './layout.ts'
import type { Pages } from './pages.ts'
import { problemsOf } from './problems.ts'
import type { Fact, Reviewed } from './reviewed.ts'
import type { VisitFor } from './visit.ts'

/** What was sent before; a form that nobody has sent yet has nothing typed and nothing wrong. */
export interface Sent {
  typed?: Form['fields']
  problems: Problems
  /** What has changed since the person saw it. */
  changed?: Html
}

export interface FormRules<A extends Action, S>
  extends Pick<ActionRules<A, S>, 'action' | 'isSensitive'> {
  /** The right to see the page, where more people have it than may send the form. */
  seenBy?: Action
  /** What the form acts on: undefined is a 404. Of a review it throws what is wrong. */
  find?(visit: VisitFor<A>, form: Form): Answer<S | undefined>
  /** What must still be so when it is sent. */
  facts?: Reviewed<VisitFor<A>, S>['facts']
  /** The form itself, or the review of what the first form asks for. */
  show(visit: VisitFor<A>, subject: S, sent: Sent): Answer<Screen>
  /** The form that comes first and asks for a review. */
  first?: {
    isSent(visit: VisitFor<A>): boolean
    show(visit: VisitFor<A>, form: Form, problems: Problems): Answer<Screen | undefined>
  }
}

/** Adds a form: its page, what it does, and the form again with what is wrong or has changed. */
export function addForm<A extends Action, S>(
  pages: Pick<Pages, 'screen' | 'action'>,
  path: string,
  rules: FormRules<A, S>,
  act: (visit: VisitFor<A>, form: Form, subject: S) => Answer<Done | Screen | undefined>,
): void {
  const { action, isSensitive = false, seenBy = action, find, facts, show, first } = rules
  type V = VisitFor<A>

  /** Shows what it may, or the first form with what is wrong. */
  async function orFirst<T>(visit: V, form: Form, work: () => Answer<T>) {
    try {
      return await work()
    } catch (thrown) {
      if (first === undefined) throw thrown
      const screen = await first.show(visit, form, problemsOf(thrown, visit.language))
      return screen && { status: 422, ...screen }
    }
  }

  pages.screen(path, seenBy as A, (visit) => {
    const form = formFrom(visit.query)
    if (first !== undefined && !first.isSent(visit)) return first.show(visit, form, {})
    return orFirst(visit, form, async () => {
      const subject = await find?.(visit, form)
      if (subject === undefined && find !== undefined) return undefined
      return show(visit, subject as S, { problems: {} })
    })
  })

  const reviewed = find && {
    find: (visit: V, form: Form) => find(visit, form),
    facts: facts ?? (() => [] as Fact[]),
    ...(first && {
      unread: (visit: V, problems: Problems, form: Form) => first.show(visit, form, problems),
      again: (visit: V, subject: S, form: Form, changed: Html) =>
        orFirst(visit, form, () => show(visit, subject, { problems: {}, changed })),
    }),
  }
  const refused: ActionRules<A, S>['refused'] = (visit, problems, form, subject) =>
    first === undefined
      ? show(visit, subject, { typed: form.fields, problems })
      : first.show(visit, form, problems)
  pages.action(path, { action, isSensitive, reviewed: reviewed ?? null, refused }, act)
}

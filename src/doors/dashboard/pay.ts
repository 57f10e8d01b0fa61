import type { DashboardContext } from './context.ts'
import { refusedAs } from './frame/interface-rules.ts'
import type { Screen } from './frame/layout.ts'
import type { Pages } from './frame/pages.ts'
import type { Visit } from './frame/visit.ts'
import { formScreen, kindIn } from './pay/form-screen.ts'
import { readWanted } from './pay/read-wanted.ts'
import { reviewOf } from './pay/review.ts'
import { reviewScreen } from './pay/review-screen.ts'
import { pay as payOnce, reviewedPayment } from './pay/send.ts'

/** GET, POST /dashboard/pay: a form for each kind, a review, then the payment. */
export default function pay(pages: Pages, context: DashboardContext): void {
  pages.screen('/dashboard/pay', 'payment.make', (visit) =>
    visit.query.step === 'review'
      ? review(context, visit)
      : formScreen(context, visit, visit.query, {}),
  )

  pages.action(
    '/dashboard/pay',
    { action: 'payment.make', isSensitive: true, reviewed: reviewedPayment(context) },
    (visit, form, asked) => payOnce(context, visit, form, asked),
  )
}

/** Shows what would be paid, or the form with what is wrong. */
async function review(context: DashboardContext, visit: Visit): Promise<Screen> {
  const { query, language } = visit
  const kind = kindIn(query)
  if (kind === undefined) return formScreen(context, visit, query, {})
  const get = (name: string) => query[name] ?? ''
  const read = await refusedAs(language, () => readWanted(context, visit, kind, get))
  if ('problems' in read) return formScreen(context, visit, query, read.problems)
  if ('problems' in read.done) return formScreen(context, visit, query, read.done.problems)
  const asked = await reviewOf(context, visit, read.done.wanted, get('bill'))
  return 'problems' in asked
    ? formScreen(context, visit, query, asked.problems)
    : reviewScreen(visit, asked.review)
}

import type { DashboardContext } from './context.ts'
import type { Pages } from './frame/pages.ts'
import { formScreen, kindIn } from './pay/form-screen.ts'
import { seenOf } from './pay/review-screen.ts'
import { askedOf, paymentIn, pay as payOnce, reviewAgain } from './pay/send.ts'

/** GET, POST /dashboard/pay: a form for each kind, a review, then the payment. */
export default function pay(pages: Pages, context: DashboardContext): void {
  pages.form(
    '/dashboard/pay',
    {
      action: 'payment.make',
      isSensitive: true,
      first: {
        isSent: ({ query }) => query.step === 'review' && kindIn(query) !== undefined,
        show: (visit, form, problems) => formScreen(context, visit, form.fields, problems),
      },
      find: (visit, form) => askedOf(context, visit, form),
      facts: (visit, asked) => ('payment' in asked ? seenOf(visit, asked.payment) : []),
      show: (visit, asked, { changed }) => reviewAgain(context, visit, paymentIn(asked), changed),
    },
    (visit, form, asked) => payOnce(context, visit, form, asked),
  )
}

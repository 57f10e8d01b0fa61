import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'
import { sendSheet, sheetForms } from '../frame/send-file.ts'

/** GET /dashboard/batches/template: an empty file with an example, to fill in. */
export default function template(pages: Pages, { batches }: DashboardContext): void {
  pages.answer('/dashboard/batches/template', 'payout.propose', ({ query, language }, reply) => {
    const form = sheetForms.find((one) => one === query.form)
    if (form === undefined) return undefined
    const name = { fr: 'modele-paiements', en: 'payouts-template' }[language]
    return sendSheet(reply, { name, form, table: batches.template(language) })
  })
}

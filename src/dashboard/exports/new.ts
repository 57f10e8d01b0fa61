import type { ExportOrder } from '../../exports/export.ts'
import { exportKinds } from '../../exports/export.ts'
import { html } from '../../kit/html.ts'
import type { DashboardContext } from '../context.ts'
import { facts } from '../frame/components.ts'
import { tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { sheetForms } from '../frame/send-file.ts'
import type { Visit } from '../frame/visit.ts'
import { fileForms } from '../statements/file.ts'
import { readFilters, keptQuery } from '../transactions/filters.ts'
import { describer, queryOf } from './describe.ts'
import { words } from './words.ts'

const lists = { transactions: '/dashboard/transactions', statement: '/dashboard/statements' }

/** GET, POST /dashboard/exports/new: asks for a file to be made in the background */
export default function newExport(pages: Pages, context: DashboardContext): void {
  pages.screen('/dashboard/exports/new', 'transaction.export', async (visit) => {
    const order = readOrder(visit, visit.query)
    if (order === undefined) return undefined
    const inWords = await describer(context, visit)
    const { kind, form, query } = order
    const say = words[visit.language]
    return {
      title: say.newTitle,
      section: 'transactions',
      body: html`<div class="head"><h1>${say.newTitle}</h1></div>
<form class="card" method="post" action="/dashboard/exports/new">${tokenField(visit)}
<p>${say.newLead}</p>
${facts([
  [say.kinds[kind], inWords(order)],
  [say.form, form.toUpperCase()],
])}
${Object.entries({ of: kind, form, query }).map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
)}
<p class="ways"><button>${say.go}</button>
<a class="button second" href="${lists[kind]}?${query}">${say.back}</a></p></form>`,
    }
  })

  pages.action(
    '/dashboard/exports/new',
    { action: 'transaction.export', reviewed: null },
    async (visit, { get }) => {
      const asked = { ...queryOf({ query: get('query') }), of: get('of'), form: get('form') }
      const order = readOrder(visit, asked)
      if (order === undefined) return undefined
      const { session, client, actor, role, language, zone } = visit
      const { id } = await context.exports.ask({
        ...order,
        clientId: client.id,
        personId: session.personId,
        askedBy: actor,
        role,
        language,
        timeZone: zone,
      })
      return { to: `/dashboard/exports/${id}` }
    },
  )
}

/** What is asked for; undefined: there is no such file, or the person may not have it. */
function readOrder(
  visit: Visit,
  asked: Record<string, string>,
): Pick<ExportOrder, 'kind' | 'form' | 'query'> | undefined {
  const kind = exportKinds.find((one) => one === asked.of)
  const forms: readonly ExportOrder['form'][] = kind === 'statement' ? fileForms : sheetForms
  const form = forms.find((one) => one === asked.form)
  if (kind === undefined || form === undefined) return undefined
  const { problems, range, typed } = readFilters({ ...visit, query: asked })
  if (Object.keys(problems).length > 0) return undefined
  if (kind === 'transactions') return { kind, form, query: keptQuery(typed) }
  const isWhole = range.from !== null && range.to !== null
  if (!isWhole || !visit.may('statement.export')) return undefined
  const { from = '', to = '' } = typed
  return { kind, form, query: keptQuery({ from, to }) }
}

import type { Export } from '../exports/export.ts'
import { html } from '../kit/html.ts'
import type { DashboardContext } from './context.ts'
import { describer, exportState } from './exports/describe.ts'
import { words } from './exports/words.ts'
import { empty, moment } from './frame/components.ts'
import type { Pages } from './frame/pages.ts'
import type { Column } from './frame/table.ts'
import { table } from './frame/table.ts'

/** GET /dashboard/exports */
export default function exportList(pages: Pages, context: DashboardContext): void {
  pages.screen('/dashboard/exports', 'transaction.export', async (visit) => {
    const { client, language } = visit
    const say = words[language]
    const [found, inWords] = await Promise.all([
      context.exports.list(client.id),
      describer(context, visit),
    ])
    const rows = found.filter((one) => one.kind !== 'statement' || visit.may('statement.export'))
    const columns: Column<Export>[] = [
      {
        name: say.what,
        cell: (one) =>
          html`<a href="/dashboard/exports/${one.id}">${say.kinds[one.kind]}</a>${inWords(one)}`,
        isTitle: true,
      },
      { name: say.form, cell: ({ form }) => form.toUpperCase() },
      { name: say.state, cell: (one) => exportState(visit, one) },
      { name: say.rows, cell: (one) => one.rows, isNumeric: true },
      { name: say.when, cell: ({ createdAt }) => moment(visit, createdAt) },
      { name: say.by, cell: ({ askedBy }) => html`<bdi>${askedBy}</bdi>` },
    ]
    return {
      title: say.title,
      section: 'transactions',
      body: html`<div class="head"><h1>${say.title}</h1></div><p class="hint">${say.lead}</p>
${rows.length === 0 ? empty(say.none) : table(rows, columns, { caption: say.title })}`,
    }
  })
}

import type { Export } from '../../exports/export.ts'
import type { Exports } from '../../exports/open.ts'
import type { Html, Piece } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'
import { isUuid } from '../../kit/ids.ts'
import type { DashboardContext } from '../context.ts'
import { facts, moment } from '../frame/components.ts'
import { tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import type { Visit } from '../frame/visit.ts'
import { describer, exportState, sizeText } from './describe.ts'
import { words } from './words.ts'

/** The export of the address, if it is one of this client and the person may have its kind. */
export async function findShown(exports: Exports, visit: Visit): Promise<Export | undefined> {
  const id = visit.part('id')
  const found = isUuid(id) ? await exports.find({ clientId: visit.client.id, id }) : undefined
  return found?.kind === 'statement' && !visit.may('statement.export') ? undefined : found
}

/** GET, POST /dashboard/exports/:id */
export default function oneExport(pages: Pages, context: DashboardContext): void {
  const { exports } = context

  pages.screen(
    '/dashboard/exports/:id',
    'transaction.export',
    async (visit) => {
      const found = await findShown(exports, visit)
      if (found === undefined) return undefined
      const inWords = await describer(context, visit)
      const say = words[visit.language]
      const title = say.kinds[found.kind]
      return {
        title,
        section: 'transactions',
        body: html`<div class="head"><h1>${title}</h1>${exportState(visit, found)}</div>
${state(visit, found)}
<section class="card">${facts([
          [say.what, inWords(found)],
          [say.form, found.form.toUpperCase()],
          [say.rows, found.rows > 0 && String(found.rows)],
          [say.reached, isOpen(found) && found.reachedAt && moment(visit, found.reachedAt)],
          [say.bytes, found.state === 'ready' && sizeText(visit, found.bytes)],
          [say.when, moment(visit, found.createdAt)],
          [say.by, html`<bdi>${found.askedBy}</bdi>`],
          [say.until, found.state === 'ready' && moment(visit, found.expiresAt)],
        ])}</section>`,
      }
    },
    'export',
  )

  pages.action(
    '/dashboard/exports/:id',
    { action: 'transaction.export', reviewed: null },
    async (visit, { get }) => {
      const found = await findShown(exports, visit)
      if (found === undefined) return undefined
      const say = words[visit.language]
      const { clientId, id } = found
      if (get('verb') === 'remove' && (await exports.remove({ clientId, id })))
        return { to: '/dashboard/exports', text: say.removed }
      const isCancelled = get('verb') === 'cancel' && (await exports.cancel({ clientId, id }))
      const to = `/dashboard/exports/${id}`
      return isCancelled ? { to, text: say.cancelled } : { to }
    },
  )
}

function isOpen({ state }: Export): boolean {
  return state === 'waiting' || state === 'running'
}

/** How far it is, or how it ended, and what can be done now. */
function state(visit: Visit, one: Export): Html {
  const { language } = visit
  const say = words[language]
  const { id, share, problem } = one
  const path = `/dashboard/exports/${id}`
  const button = (verb: string, text: string): Html =>
    html`<form method="post" action="${path}">${tokenField(visit)}
<button class="second" name="verb" value="${verb}">${text}</button></form>`
  if (isOpen(one))
    return html`<section class="card">
<progress max="1000" value="${share}" aria-label="${say.progress}"></progress>
<p>${Math.floor(share / 10)} %</p><p class="hint">${say.newest}</p><p>${say.leave}</p>
<div class="ways"><a class="button second" href="${path}">${say.refresh}</a>
${button('cancel', say.cancel)}</div></section>`
  const why: Piece = problem !== null && html`<p class="notice bad">${say.problems[problem]}</p>`
  const file: Piece =
    one.state === 'ready' &&
    html`<a class="button" href="${path}/file" data-turbo="false">${say.download}</a>`
  return html`${why}<div class="ways">${file}${button('remove', say.remove)}</div>`
}

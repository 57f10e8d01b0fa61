import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from './context.ts'
import { empty } from './frame/components.ts'
import type { Screen } from './frame/layout.ts'
import type { Pages, PersonVisit } from './frame/pages.ts'

const words = inBoth({
  fr: {
    title: 'Vos marchands',
    none: fr`Vous n'appartenez à aucun marchand. Demandez une invitation à son propriétaire.`,
    operations: fr`Exploitation de la passerelle`,
  },
  en: {
    title: 'Your merchants',
    none: 'You do not belong to any merchant. Ask its owner for an invitation.',
    operations: 'Operation of the gateway',
  },
})

/** GET, POST /dashboard/clients: which client the session shows. */
export default function clients(pages: Pages, { people }: DashboardContext): void {
  pages.person('/dashboard/clients', async (visit) => screen(visit, await visible(visit)))

  pages.personAction('/dashboard/clients', async (visit, form) => {
    const chosen = (await visible(visit)).find(({ id }) => String(id) === form.get('client'))
    if (chosen === undefined) return screen(visit, await visible(visit))
    await people.sessions.show({ sessionId: visit.session.id, clientId: chosen.id })
    return { to: '/dashboard' }
  })

  async function visible({ session }: PersonVisit): Promise<{ id: number; name: string }[]> {
    const own = await people.clientsOf(session.personId)
    return own.map(({ clientId, name }) => ({ id: clientId, name }))
  }
}

function screen(visit: PersonVisit, list: { id: number; name: string }[]): Screen {
  const { title, none, operations } = words[visit.language]
  return {
    title,
    body: html`<section class="card"><h1>${title}</h1>
${list.length === 0 && empty(none)}
${list.map(
  ({ id, name }) => html`<form method="post" action="/dashboard/clients">${visit.tokenField()}
<button class="second" name="client" value="${id}"><bdi>${name}</bdi></button></form>`,
)}
${
  visit.session.operatorRole !== null &&
  html`<p><a class="button second" href="/dashboard/ops">${operations}</a></p>`
}</section>`,
  }
}

import type { Html } from '../kit/html.ts'
import { html } from '../kit/html.ts'
import { countUnsentMails } from '../mail/store.ts'
import { fr } from '../pages/typography.ts'
import type { DashboardContext } from './context.ts'
import { draw } from './frame/layout.ts'
import type { Pages } from './frame/pages.ts'
import { opsSections } from './frame/sections.ts'
import { frameWords, inBoth } from './frame/words.ts'

const words = inBoth({
  fr: {
    title: fr`État de la passerelle`,
    toDecide: fr`Mouvements à approuver`,
    waiting: fr`E-mails en attente`,
    failed: fr`E-mails échoués`,
    places: fr`Où aller`,
  },
  en: {
    title: 'Health of the gateway',
    toDecide: 'Movements to approve',
    waiting: 'Mails waiting',
    failed: 'Mails failed',
    places: 'Where to go',
  },
})

// A figure on a page need not count further.
const openMax = 999

/** GET /dashboard/ops: the operators' home */
export default function operations(pages: Pages, { db, approvals }: DashboardContext): void {
  pages.screen('/dashboard/ops', 'ops.read', async (visit) => {
    const { title, toDecide, waiting, failed, places } = words[visit.language]
    const names = frameWords[visit.language].opsSections
    const mails = await countUnsentMails(db)
    const open = await approvals.list({ limit: openMax })
    return {
      title,
      section: 'health',
      body: html`<div class="head"><h1>${title}</h1></div>
<dl class="tiles">${tile(toDecide, open.length)}
${tile(waiting, mails.pending)}${tile(failed, mails.failed)}</dl>
<section class="card"><h2>${places}</h2><ul class="list">${opsSections
        .filter(({ name, action }) => name !== 'health' && visit.may(action))
        .map(
          ({ name, href, icon }) =>
            html`<li>${draw(icon)}<a href="${href}">${names[name]}</a></li>`,
        )}</ul></section>`,
    }
  })
}

function tile(name: string, value = 0): Html {
  return html`<div class="tile"><dt>${name}</dt><dd>${value}</dd></div>`
}

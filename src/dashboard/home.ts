import { html } from '../kit/html.ts'
import { fr } from '../pages/typography.ts'
import type { DashboardContext } from './context.ts'
import { money } from './frame/components.ts'
import type { Pages } from './frame/pages.ts'
import { inBoth } from './frame/words.ts'

const words = inBoth({
  fr: { title: 'Accueil', available: 'Solde disponible', held: fr`Retenu` },
  en: { title: 'Home', available: 'Available balance', held: 'Held' },
})

/** GET /dashboard */
export default function home(pages: Pages, { ledger }: DashboardContext): void {
  pages.screen('/dashboard', 'home.read', async (visit) => {
    const { title, available, held } = words[visit.language]
    const balance = await ledger.balances(visit.client.id)
    return {
      title,
      section: 'home',
      body: html`<div class="head"><h1>${title}</h1></div>
<dl class="tiles"><div class="tile"><dt>${available}</dt><dd>${money(balance.available)}</dd></div>
<div class="tile"><dt>${held}</dt><dd>${money(balance.held)}</dd></div></dl>`,
    }
  })
}

import { html } from '#base/kit/html.ts'
import { fr, inBoth, plural } from '#base/kit/texts.ts'
import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'
import { table } from '../frame/table.ts'
import { providerColumns } from './providers/provider-columns.ts'
import { providerWords } from './providers/provider-words.ts'

const words = inBoth({
  fr: {
    about: fr`Hors échecs dus aux payeurs : solde, refus, mauvais code.`,
    processes: (count: number) => fr`D'après ${count} processus.`,
    silent: fr`Aucun processus ne répond : la passerelle tourne-t-elle ?`,
  },
  en: {
    about: 'Excluding failures caused by payers: balance, refusal, wrong code.',
    processes: (count: number) =>
      `Reported by ${count} ${plural.en(count, 'process', 'processes')}.`,
    silent: 'No process reports: is the gateway running?',
  },
})

/** GET /dashboard/ops/providers: every provider as payers meet it now */
export default function providers(pages: Pages, { health }: DashboardContext): void {
  pages.screen('/dashboard/ops/providers', 'ops.read', async (visit) => {
    const { title } = providerWords[visit.language]
    const { about, processes, silent } = words[visit.language]
    const states = await health.providers()
    const count = states.processes.length
    return {
      title,
      section: 'providers',
      body: html`<div class="head"><h1>${title}</h1></div>
<p class="hint">${about} ${count === 0 ? silent : processes(count)}</p>
${table(states.providers, providerColumns(visit), { caption: title })}`,
    }
  })
}

import type { Export, ExportOrder } from '../../exports/export.ts'
import type { Html } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'
import type { DashboardContext } from '../context.ts'
import { label } from '../frame/components.ts'
import type { Visit } from '../frame/visit.ts'
import { frameWords } from '../frame/words.ts'
import { filtersInWords } from '../transactions/filter-form.ts'
import { readFilters } from '../transactions/filters.ts'
import { shopNames } from '../transactions/read-shops.ts'
import { words } from './words.ts'

/** The parameters of the address of what is exported. */
export function queryOf({ query }: Pick<ExportOrder, 'query'>): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query))
}

/** Says what exports hold: their kind and their filters. */
export async function describer(
  context: DashboardContext,
  visit: Visit,
): Promise<(one: Pick<ExportOrder, 'kind' | 'query'>) => Html> {
  const { client, language } = visit
  const [services, shops] = await Promise.all([
    context.clients.servicesOf(client.id),
    shopNames(context, client.id),
  ])
  return ({ kind, query }) => {
    const asked = readFilters({ ...visit, query: queryOf({ query }) })
    const set = filtersInWords(visit, asked, { services, shops })
    const { all } = words[language]
    const { colon } = frameWords[language]
    return html`<div>${set.length === 0 && kind === 'transactions' && all}${set.map(
      ([, name, text]) => html`<div>${name}${colon} <b><bdi>${text}</bdi></b></div>`,
    )}</div>`
  }
}

const shapes: Record<Export['state'], [tone: string, path: string]> = {
  waiting: ['calm', 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7v5l3.5 2'],
  running: ['calm', 'M12 3a9 9 0 0 1 9 9M12 3v0'],
  ready: ['good', 'm5 12.5 4.5 4.5L19 7.5'],
  failed: ['bad', 'm7 7 10 10M17 7 7 17'],
  cancelled: ['quiet', 'M5 12h14'],
}

export function exportState({ language }: Visit, { state }: Export): Html {
  const [tone, path] = shapes[state]
  return label(tone, words[language].states[state], path)
}

/** The size of a file as people read it. */
export function sizeText({ language }: Visit, bytes: number): string {
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
  const units = language === 'fr' ? ['Ko', 'Mo'] : ['KB', 'MB']
  return bytes < 1e6
    ? `${format.format(bytes / 1e3)}\u00a0${units[0]}`
    : `${format.format(bytes / 1e6)}\u00a0${units[1]}`
}

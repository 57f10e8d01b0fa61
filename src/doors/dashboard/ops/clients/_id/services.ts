import { type Html, html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { formatAmount } from '#base/kit/money.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { label, money } from '#doors/dashboard/frame/components.ts'
import { placeWord } from '#doors/dashboard/frame/kinds.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { table } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { type Service, services } from '#merchants/catalog/services.ts'
import { limitsOf } from '#merchants/clients/contract.ts'
import { effectiveTerms, isFree } from '#merchants/clients/fees.ts'
import { defaultTerms } from '#merchants/clients/terms.ts'
import type { ServiceTerms } from '#merchants/clients/terms-store.ts'
import { clientHref, clientOf, clientScreen } from '../client-screen.ts'

const words = inBoth({
  fr: {
    all: fr`Changer tous les services`,
    dayLimits: fr`Limites par jour`,
    service: 'Service',
    state: fr`État`,
    open: 'Ouvert',
    closed: fr`Fermé`,
    fee: 'Frais',
    free: 'gratuit',
    amounts: 'Montants',
    from: fr`au moins`,
    most: 'au plus',
  },
  en: {
    all: 'Change all services',
    dayLimits: 'Limits by day',
    service: 'Service',
    state: 'State',
    open: 'Open',
    closed: 'Closed',
    fee: 'Fee',
    free: 'free',
    amounts: 'Amounts',
    from: 'at least',
    most: 'at most',
  },
})

/** GET /dashboard/ops/clients/:id/services: every service, its state, price and limits */
export default function serviceList(pages: Pages, { clients }: DashboardContext): void {
  pages.screen('/dashboard/ops/clients/:id/services', 'ops.read', async (visit) => {
    const client = await clientOf(clients, visit)
    if (client === undefined) return undefined
    const say = words[visit.language]
    const known = new Map((await clients.termsOf(client.id)).map((one) => [one.serviceCode, one]))
    const rows = services.map((service) => ({
      service,
      terms: { serviceCode: service.code, ...defaultTerms, ...known.get(service.code) },
    }))
    const mayChange = visit.may('ops.clients.change')
    const path = clientHref(client.id, 'services')
    const body = html`<p class="ways">${
      mayChange && html`<a class="button" href="${path}/all">${say.all}</a>`
    }
<a class="button second" href="/dashboard/ops/limits?client=${client.id}">${say.dayLimits}</a></p>
${serviceTable(visit, rows, mayChange ? path : null)}`
    return clientScreen(visit, client, 'services', body)
  })
}

interface Row {
  service: Service
  terms: ServiceTerms
}

function serviceTable(visit: OpsVisit, rows: Row[], path: string | null): Html {
  const { language } = visit
  const say = words[language]
  return table(
    rows,
    [
      {
        name: say.service,
        isTitle: true,
        cell: ({ service: { code } }) => {
          const name = placeWord(language, code)
          return path === null ? name : html`<a href="${path}/${code}">${name}</a>`
        },
      },
      { name: say.state, cell: ({ terms }) => serviceState(language, terms) },
      { name: say.fee, cell: ({ service, terms }) => feeText(language, service, terms) },
      { name: say.amounts, isNumeric: true, cell: ({ terms }) => amountsText(terms) },
    ],
    { caption: say.service },
  )
}

/** Whether the client may use a service. */
export function serviceState(language: Language, { isEnabled }: ServiceTerms): Html {
  const { open, closed } = words[language]
  return isEnabled ? label(['good', 'check'], open) : label(['quiet', 'dash'], closed)
}

/** The price in words: 1.5 % + 50 F CFA, at least 100 F CFA. */
export function feeText(language: Language, service: Service, terms: ServiceTerms): Html {
  const say = words[language]
  if (isFree(service, terms)) return html`${say.free}`
  const { fixed, basisPoints, min, max } = effectiveTerms(service, terms)
  const share = basisPoints > 0 && percent(language, basisPoints)
  const parts = [share, fixed > 0 && formatAmount(fixed)].filter((one) => one !== false)
  const bounds = [
    min > 0 && html`, ${say.from} ${money(min)}`,
    max !== null && html`, ${say.most} ${money(max)}`,
  ]
  return html`${parts.join(' + ') || formatAmount(0)}${bounds}`
}

/** Hundredths of a percent as a percentage. */
function percent(language: Language, basisPoints: number): string {
  const digits = String(basisPoints).padStart(3, '0')
  const [whole, part] = [digits.slice(0, -2), digits.slice(-2).replace(/0+$/, '')]
  const text = part === '' ? whole : `${whole}${language === 'fr' ? ',' : '.'}${part}`
  return language === 'fr' ? `${text}\u00a0%` : `${text}%`
}

/** The smallest and the largest amount that the client may move. */
export function amountsText(terms: ServiceTerms): Html {
  const { min, max } = limitsOf(terms)
  return html`${money(min)} – ${money(max)}`
}

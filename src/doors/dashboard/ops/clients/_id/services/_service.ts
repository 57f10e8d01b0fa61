import { html } from '#base/kit/html.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { problemList } from '#doors/dashboard/frame/fields.ts'
import type { Sent } from '#doors/dashboard/frame/form-page.ts'
import { placeWord } from '#doors/dashboard/frame/kinds.ts'
import type { Screen } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import {
  clientDetail,
  clientHref,
  clientOf,
  clientWords,
} from '#doors/dashboard/ops/clients/client-screen.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import type { Client } from '#merchants/clients/store.ts'
import type { ServiceTerms } from '#merchants/clients/terms-store.ts'
import { readShownTerms } from './shown-terms.ts'
import {
  factsOfTerms,
  fieldsOfTerms,
  readChange,
  type TermsFields,
  termsForms,
  termsWords,
} from './terms-forms.ts'

/**
 * GET, POST /dashboard/ops/clients/:id/services/:service: opens and closes a service, sets its fee
 * and its amounts; `all` does it for every service.
 */
export default function service(pages: Pages, { clients }: DashboardContext): void {
  pages.form(
    '/dashboard/ops/clients/:id/services/:service',
    {
      action: 'ops.clients.change',
      isSensitive: true,
      find,
      facts: (visit, { code, terms }, form) => factsOfTerms(visit, code, terms, form.get('what')),
      show: screen,
    },
    async (visit, form, { client, code: serviceCode, terms }) => {
      const { id: clientId } = client
      const read = readChange(visit.language, form)
      const from = terms ?? undefined
      const order = { clientId, serviceCode, ...read, from, actor: visit.actor }
      await clients.changeTerms(order)
      const to = `${clientHref(clientId, 'services')}/${serviceCode}`
      return { to, text: clientWords[visit.language].saved }
    },
  )

  async function find(visit: OpsVisit): Promise<Found | undefined> {
    const client = await clientOf(clients, visit)
    const code = visit.part('service')
    if (client === undefined || !isKnown(visit)) return undefined
    const terms = code === 'all' ? null : await readShownTerms(clients, client.id, code)
    return { client, code, terms }
  }
}

interface Found {
  client: Client
  code: string
  /** Null: those of all services. */
  terms: ServiceTerms | null
}

function screen(visit: OpsVisit, { client, code, terms }: Found, sent: Sent): Screen {
  const { all, notFree } = termsWords[visit.language]
  // The sentence of the domain speaks of the command line.
  const free = 'free' in sent.problems ? { free: notFree } : {}
  const problems = { ...sent.problems, ...free }
  const fields: TermsFields = { ...fieldsOfTerms(terms), ...sent.typed }
  const body = html`${problemList(visit.language, problems)}
${termsForms(visit, { code, terms, fields, problems })}`
  const title = code === 'all' ? all : placeWord(visit.language, code)
  return clientDetail(visit, client, { tab: 'services', title, body })
}

function isKnown(visit: OpsVisit): boolean {
  const code = visit.part('service')
  return code === 'all' || parseServiceCode(code) !== undefined
}

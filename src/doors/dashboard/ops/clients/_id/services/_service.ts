import { html } from '#base/kit/html.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { placeWord } from '#doors/dashboard/frame/kinds.ts'
import type { Screen } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { problemsOf } from '#doors/dashboard/frame/problems.ts'
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
  pages.screen(
    '/dashboard/ops/clients/:id/services/:service',
    'ops.clients.change',
    async (visit) => {
      const client = await clientOf(clients, visit)
      return client === undefined || !isKnown(visit) ? undefined : screen(visit, client, {})
    },
  )

  pages.action(
    '/dashboard/ops/clients/:id/services/:service',
    {
      action: 'ops.clients.change',
      isSensitive: true,
      reviewed: {
        find,
        facts: (visit, { code, terms }, form) => factsOfTerms(visit, code, terms, form.get('what')),
      },
    },
    async (visit, form, { client, code: serviceCode, terms }) => {
      const refused = (problems: Problems) =>
        screen(visit, client, { typed: form.fields, problems })
      const { change, isPriced, problems } = readChange(visit.language, form)
      if (change === undefined) return refused(problems)
      const { id: clientId } = client
      const refusesFree = isPriced && !form.has('free')
      const from = terms ?? undefined
      const order = { clientId, serviceCode, change, from, refusesFree, actor: visit.actor }
      try {
        await clients.changeTerms(order)
      } catch (problem) {
        const said = problemsOf(problem, visit.language)
        // That of the domain speaks of the command line.
        if (said.free !== undefined) said.free = termsWords[visit.language].notFree
        return refused(said)
      }
      const to = `${clientHref(clientId, 'services')}/${serviceCode}`
      return { to, text: clientWords[visit.language].saved }
    },
  )

  async function find(
    visit: OpsVisit,
  ): Promise<{ client: Client; code: string; terms: ServiceTerms | null } | undefined> {
    const client = await clientOf(clients, visit)
    const code = visit.part('service')
    if (client === undefined || !isKnown(visit)) return undefined
    const terms = code === 'all' ? null : await readShownTerms(clients, client.id, code)
    return { client, code, terms }
  }

  async function screen(
    visit: OpsVisit,
    client: Client,
    { typed, problems = {} }: { typed?: Record<string, string>; problems?: Problems },
  ): Promise<Screen> {
    const code = visit.part('service')
    const terms = code === 'all' ? null : await readShownTerms(clients, client.id, code)
    const own = fieldsOfTerms(terms)
    const fields: TermsFields = { ...own, ...typed }
    const body = html`${problemList(visit.language, problems)}
${termsForms(visit, { code, terms, fields, problems })}`
    const title = code === 'all' ? termsWords[visit.language].all : placeWord(visit.language, code)
    return clientDetail(visit, client, { tab: 'services', title, body })
  }
}

function isKnown(visit: OpsVisit): boolean {
  const code = visit.part('service')
  return code === 'all' || parseServiceCode(code) !== undefined
}

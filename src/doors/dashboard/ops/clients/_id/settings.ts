import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { facts } from '#doors/dashboard/frame/components.ts'
import { field, type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { readFields } from '#doors/dashboard/frame/read-fields.ts'
import { type Fact, fieldFact, type Reviewed } from '#doors/dashboard/frame/reviewed.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { lookCard } from '#doors/dashboard/settings/look-card.ts'
import type { Clients } from '#merchants/clients/open.ts'
import type { Client } from '#merchants/clients/store.ts'
import { timeZones } from '#merchants/clients/time-zones.ts'
import {
  type ClientFields,
  clientFields,
  fieldLabels,
  fieldsOf,
  readClient,
} from '../client-form.ts'
import { clientFact, clientHref, clientOf, clientScreen, clientWords } from '../client-screen.ts'

const words = inBoth({
  fr: {
    timeZone: fr`Fuseau horaire`,
    lifetime: fr`Durée d'un lien de paiement, en secondes`,
    lifetimeHint: fr`De 300 à 2592000 (30 jours).`,
    save: 'Enregistrer',
  },
  en: {
    timeZone: 'Time zone',
    lifetime: 'Lifetime of a payment link, in seconds',
    lifetimeHint: 'From 300 to 2592000 (30 days).',
    save: 'Save',
  },
})

type Typed = ClientFields & { timeZone: string; lifetime: string }

const lifetimesS = { min: 300, max: 2_592_000 }

/** GET, POST /dashboard/ops/clients/:id/settings */
export default function settings(pages: Pages, { clients, config }: DashboardContext): void {
  pages.screen('/dashboard/ops/clients/:id/settings', 'ops.read', async (visit) => {
    const client = await clientOf(clients, visit)
    return client === undefined ? undefined : settingsScreen(clients, visit, client)
  })

  const reviewed: Reviewed<OpsVisit, Client> = {
    find: (visit) => clientOf(clients, visit),
    facts: factsOf,
  }
  pages.action(
    '/dashboard/ops/clients/:id/settings',
    {
      action: 'ops.clients.change',
      isSensitive: true,
      reviewed,
      refused: (visit, problems, { fields }, client) =>
        settingsScreen(clients, visit, client, { typed: fields, problems }),
    },
    async (visit, form, client) => {
      const say = words[visit.language]
      const read = readFields(visit.language, form.get)
      const change = {
        ...readClient(visit, form, read, config.webhookRules),
        linkLifetimeS: read.amount('lifetime', say.lifetime, lifetimesS),
        timeZone: read.choice('timeZone', say.timeZone, timeZones),
      }
      read.check()
      const { id } = client
      await clients.change({ id, change, from: client, actor: visit.actor })
      return { to: clientHref(id, 'settings'), text: clientWords[visit.language].saved }
    },
  )
}

function typedOf(client: Client): Typed {
  const { timeZone, linkLifetimeS } = client
  return { ...fieldsOf(client), timeZone, lifetime: String(linkLifetimeS) }
}

/** What the form shows of a client. */
function factsOf(visit: OpsVisit, client: Client): Fact[] {
  const { language } = visit
  const typed = typedOf(client)
  const { timeZone, lifetime } = words[language]
  const labels: [keyof Typed, string][] = [
    ...fieldLabels(language),
    ['timeZone', timeZone],
    ['lifetime', lifetime],
  ]
  const fields = labels.map(([name, label]) => fieldFact(name, label, typed[name]))
  return [clientFact(visit, client), ...fields]
}

/** What to show of forms that were refused: what was typed, and what is wrong. */
interface Refused {
  typed?: Partial<Typed>
  problems?: Problems
  look?: Problems
}

/** The settings of a client: a form for those who may change them. */
export async function settingsScreen(
  clients: Clients,
  visit: OpsVisit,
  client: Client,
  { typed, problems = {}, look = {} }: Refused = {},
): Promise<Screen> {
  const mayChange = visit.may('ops.clients.change')
  const path = clientHref(client.id, 'settings')
  const own = typedOf(client)
  const seen = factsOf(visit, client)
  const body = html`${
    mayChange ? form(visit, { path, seen }, typed ?? own, problems) : shown(visit, own)
  }
${lookCard(visit, { path, mayChange }, await clients.findBrand(client.id), look)}`
  return clientScreen(visit, client, 'settings', body)
}

/** The same for people who may not change anything. */
function shown({ language }: OpsVisit, { timeZone, lifetime, ...common }: Typed): Html {
  const say = words[language]
  return html`<section class="card">${facts([
    ...fieldLabels(language).map(([name, label]): [string, Html] => [
      label,
      html`<bdi>${common[name] || '–'}</bdi>`,
    ]),
    [say.timeZone, timeZone],
    [say.lifetime, lifetime],
  ])}</section>`
}

function form(
  visit: OpsVisit,
  { path, seen }: { path: string; seen: Fact[] },
  typed: Partial<Typed>,
  problems: Problems,
): Html {
  const say = words[visit.language]
  const options = timeZones.map((one): [string, string] => [one, one])
  const zone = { name: 'timeZone', label: say.timeZone, value: typed.timeZone ?? '', options }
  const lifetime = { name: 'lifetime', label: say.lifetime, hint: say.lifetimeHint }
  return html`<form class="card" method="post" action="${path}">${tokenField(visit, seen)}
${problemList(visit.language, problems)}
${clientFields(visit, typed, problems)}
${field(zone, problems)}
${field({ ...lifetime, value: typed.lifetime ?? '', inputmode: 'numeric' }, problems)}
<button>${say.save}</button></form>`
}

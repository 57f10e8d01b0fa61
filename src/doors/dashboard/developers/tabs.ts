import { type Html, html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { tabs } from '../frame/components.ts'
import type { Screen } from '../frame/layout.ts'
import type { Visit } from '../frame/visit.ts'

const words = inBoth({
  fr: {
    title: fr`Développeurs`,
    keys: fr`Clés`,
    webhooks: 'Webhooks',
    events: fr`Événements`,
    requests: fr`Requêtes`,
    mails: 'E-mails',
    sandbox: 'Bac à sable',
  },
  en: {
    title: 'Developers',
    keys: 'Keys',
    webhooks: 'Webhooks',
    events: 'Events',
    requests: 'Requests',
    mails: 'Emails',
    sandbox: 'Sandbox',
  },
})

const root = '/dashboard/developers'
const places = {
  keys: root,
  webhooks: `${root}/webhooks`,
  events: `${root}/events`,
  requests: `${root}/requests`,
  mails: `${root}/mails`,
  sandbox: `${root}/sandbox`,
}

type Tab = keyof typeof places

/** A screen of the developers' section, under its tabs. */
export function developerScreen(visit: Visit, tab: Tab, body: Html, status = 200): Screen {
  const say = words[visit.language]
  const shown = (Object.keys(places) as Tab[]).filter((one) => one !== 'sandbox' || visit.isSandbox)
  return {
    title: `${say[tab]} · ${say.title}`,
    section: 'developers',
    status,
    body: html`<div class="head"><h1>${say.title}</h1></div>
${tabs(
  say.title,
  shown.map((one) => ({ href: places[one], text: say[one], isCurrent: one === tab })),
)}
${body}`,
  }
}

/** A screen about one thing of a tab: a way back to the tab, and its own title. */
export function detailScreen(
  visit: Visit,
  tab: Tab,
  { title, body, aside }: { title: string; body: Html; aside?: Piece },
): Screen {
  const say = words[visit.language]
  return {
    title,
    section: 'developers',
    body: html`<p class="back"><a href="${places[tab]}">${say.title} · ${say[tab]}</a></p>
<div class="head"><h1>${title}</h1>${aside}</div>
${body}`,
  }
}

import { html } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { OpenSession } from '#merchants/people/sessions/store.ts'
import type { DashboardContext } from '../context.ts'
import { moment } from '../frame/components.ts'
import { type Screen, tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { table } from '../frame/table.ts'
import type { AnyVisit } from '../frame/visit.ts'

const words = inBoth({
  fr: {
    title: fr`Appareils connectés`,
    device: 'Appareil',
    here: 'celui-ci',
    address: fr`Adresse IP`,
    since: fr`Connecté depuis`,
    seen: fr`Dernière visite`,
    unknown: fr`Navigateur inconnu`,
    on: 'sur',
    end: fr`Déconnecter`,
    endAll: fr`Déconnecter tous les autres`,
    ended: fr`L'appareil est déconnecté.`,
    endedAll: fr`Tous les autres appareils sont déconnectés.`,
    back: fr`Retour au compte`,
  },
  en: {
    title: 'Signed-in devices',
    device: 'Device',
    here: 'this one',
    address: 'IP address',
    since: 'Signed in since',
    seen: 'Last visit',
    unknown: 'Unknown browser',
    on: 'on',
    end: 'Sign out',
    endAll: 'Sign out all others',
    ended: 'The device is signed out.',
    endedAll: 'All other devices are signed out.',
    back: 'Back to the account',
  },
})

/** GET, POST /dashboard/account/sessions: where the person is signed in. */
export default function sessions(pages: Pages, { people }: DashboardContext): void {
  pages.screen('/dashboard/account/sessions', 'account.change', async (visit) =>
    screen(visit, await people.sessions.list(visit.session.personId)),
  )

  pages.action(
    '/dashboard/account/sessions',
    { action: 'account.change', reviewed: null },
    async (visit, form) => {
      const { personId, id: own } = visit.session
      const { ended, endedAll } = words[visit.language]
      const to = '/dashboard/account/sessions'
      const id = form.get('session')
      if (id === 'all') {
        await people.sessions.endOthers({ personId, except: own })
        return { to, text: endedAll }
      }
      if (!isUuid(id) || id === own) return undefined
      await people.sessions.endOne({ personId, id })
      return { to, text: ended }
    },
  )
}

function screen(visit: AnyVisit, list: OpenSession[]): Screen {
  const texts = words[visit.language]
  const isHere = ({ id }: OpenSession) => id === visit.session.id
  const form = (session: string, button: string, look: string) =>
    html`<form method="post" action="/dashboard/account/sessions">${tokenField(visit)}
<button class="${look}" name="session" value="${session}">${button}</button></form>`
  const rows = table(
    list,
    [
      {
        name: texts.device,
        isTitle: true,
        cell: (one) => html`${browserOf(one.agent, texts)}${isHere(one) && ` (${texts.here})`}`,
      },
      { name: texts.address, cell: ({ address }) => address },
      { name: texts.since, cell: ({ createdAt }) => moment(visit, createdAt) },
      { name: texts.seen, cell: ({ lastSeenAt }) => moment(visit, lastSeenAt) },
      { name: '', cell: (one) => (isHere(one) ? '' : form(one.id, texts.end, 'link')) },
    ],
    { caption: texts.title },
  )
  return {
    title: texts.title,
    section: 'account',
    body: html`<div class="head"><h1>${texts.title}</h1>
${list.length > 1 && form('all', texts.endAll, 'second')}</div>
${rows}
<p class="back"><a href="/dashboard/account">${texts.back}</a></p>`,
  }
}

const browsers: [pattern: RegExp, name: string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: [pattern: RegExp, name: string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** What a person calls their browser: Firefox on Android. */
function browserOf(agent: string, { unknown, on }: { unknown: string; on: string }): string {
  const find = (list: typeof browsers) => list.find(([pattern]) => pattern.test(agent))?.[1]
  const [browser, system] = [find(browsers) ?? unknown, find(systems)]
  return system === undefined ? browser : `${browser} ${on} ${system}`
}

import { html } from '#base/kit/html.ts'
import { isUuid, lastId } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { MailRow } from '#merchants/mail/store.ts'
import type { DashboardContext } from '../context.ts'
import { empty, moment } from '../frame/components.ts'
import { mailState } from '../frame/mail-parts.ts'
import type { Pages } from '../frame/pages.ts'
import { type Column, pager, table } from '../frame/table.ts'
import type { Visit } from '../frame/visit.ts'
import { developerScreen } from './tabs.ts'

const words = inBoth({
  fr: {
    title: fr`E-mails à votre commerce`,
    kept: fr`Cette installation n'a pas de serveur d'e-mail : les e-mails sont gardés ici et ne
      partent pas.`,
    sent: fr`Les e-mails que la passerelle vous envoie, et leur état.`,
    when: 'Date',
    subject: 'Objet',
    to: fr`À`,
    state: fr`État`,
    none: fr`Aucun e-mail pour l'instant. Il en part un quand un lien de paiement est créé.`,
  },
  en: {
    title: 'Emails to your business',
    kept: 'This installation has no mail server: emails are kept here and are not sent.',
    sent: 'The emails that the gateway sends you, and their state.',
    when: 'Date',
    subject: 'Subject',
    to: 'To',
    state: 'State',
    none: 'No emails yet. One is sent when a payment link is created.',
  },
})

const rowsPerPage = 25

type Listed = Omit<MailRow, 'textBody' | 'htmlBody'>

/** GET /dashboard/developers/mails */
export default function mails(pages: Pages, { config, mails: room }: DashboardContext): void {
  pages.screen('/dashboard/developers/mails', 'developer.read', async (visit) => {
    const { after = '' } = visit.query
    const before = isUuid(after) ? after : lastId
    const order = { clientId: visit.client.id, before, limit: rowsPerPage + 1 }
    const found = await room.listOf(order)
    const rows = found.slice(0, rowsPerPage)
    const next = found.length > rowsPerPage ? (rows.at(-1)?.id ?? null) : null
    const say = words[visit.language]
    return developerScreen(
      visit,
      'mails',
      html`<h2>${say.title}</h2><p class="hint">${config.smtpUrl === null ? say.kept : say.sent}</p>
${rows.length === 0 && empty(say.none)}
${table(rows, columnsFor(visit), { caption: say.title })}
${pager(visit, next)}`,
    )
  })
}

function columnsFor(visit: Visit): Column<Listed>[] {
  const say = words[visit.language]
  return [
    {
      name: say.subject,
      isTitle: true,
      cell: ({ id, subject }) =>
        html`<a href="/dashboard/developers/mails/${id}"><bdi>${subject}</bdi></a>`,
    },
    { name: say.when, cell: ({ createdAt }) => moment(visit, createdAt) },
    { name: say.to, cell: ({ recipient }) => html`<bdi>${recipient}</bdi>` },
    { name: say.state, cell: ({ state }) => mailState(visit, state) },
  ]
}

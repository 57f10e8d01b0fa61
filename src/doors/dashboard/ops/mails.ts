import { html } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { mailStates } from '#merchants/mail/states.ts'
import type { MailRow } from '#merchants/mail/store.ts'
import type { DashboardContext } from '../context.ts'
import { empty, hrefWith, moment } from '../frame/components.ts'
import { mailProblem, mailState, mailStateWords } from '../frame/mail-parts.ts'
import type { Pages } from '../frame/pages.ts'
import { type Column, pager, table } from '../frame/table.ts'
import { chips } from '../frame/toolbar.ts'
import type { OpsVisit } from '../frame/visit.ts'

const words = inBoth({
  fr: {
    title: 'E-mails',
    kept: fr`Sans serveur d'e-mail (SMTP_URL), les e-mails sont conservés ici et ne partent pas.`,
    all: 'Tous',
    subject: 'Objet',
    to: fr`À`,
    when: 'Date',
    tries: 'Tentatives',
    state: fr`État`,
    problem: fr`Problème`,
    none: fr`Aucun e-mail dans cet état.`,
    reset: fr`Tout afficher`,
  },
  en: {
    title: 'Emails',
    kept: 'Without a mail server (SMTP_URL), emails are kept here and are not sent.',
    all: 'All',
    subject: 'Subject',
    to: 'To',
    when: 'Date',
    tries: 'Attempts',
    state: 'State',
    problem: 'Problem',
    none: 'No emails in this state.',
    reset: 'Show everything',
  },
})

const rowsPerPage = 50

type Listed = Omit<MailRow, 'textBody' | 'htmlBody'>

/** GET /dashboard/ops/mails: what was sent to whom, and what could not be */
export default function mails(pages: Pages, { config, mails: room }: DashboardContext): void {
  pages.screen('/dashboard/ops/mails', 'ops.read', async (visit) => {
    const say = words[visit.language]
    const { after = '' } = visit.query
    const state = mailStates.find((one) => one === visit.query.state) ?? null
    const before = isUuid(after) ? after : null
    const found = await room.list({ state, before, limit: rowsPerPage + 1 })
    const rows = found.slice(0, rowsPerPage)
    const next = found.length > rowsPerPage ? (rows.at(-1)?.id ?? null) : null
    const ways = [null, ...mailStates].map((one) => ({
      href: hrefWith(visit, { state: one, after: null }),
      text: one === null ? say.all : mailStateWords[visit.language][one],
      isCurrent: one === state,
    }))
    const way = state === null ? undefined : { href: '/dashboard/ops/mails', text: say.reset }
    return {
      title: say.title,
      section: 'mails',
      body: html`<div class="head"><h1>${say.title}</h1></div>
${config.smtpUrl === null && html`<p class="hint">${say.kept}</p>`}
${chips(ways)}
${rows.length === 0 ? empty(say.none, way) : table(rows, columnsFor(visit), { caption: say.title })}
${pager(visit, next)}`,
    }
  })
}

function columnsFor(visit: OpsVisit): Column<Listed>[] {
  const say = words[visit.language]
  return [
    {
      name: say.subject,
      isTitle: true,
      cell: ({ id, subject }) =>
        html`<a href="/dashboard/ops/mails/${id}"><bdi>${subject}</bdi></a>`,
    },
    { name: say.to, cell: ({ recipient }) => html`<bdi>${recipient}</bdi>` },
    { name: say.when, cell: ({ createdAt }) => moment(visit, createdAt) },
    { name: say.tries, isNumeric: true, cell: ({ tries }) => tries },
    { name: say.state, cell: ({ state }) => mailState(visit, state) },
    { name: say.problem, cell: ({ problem }) => mailProblem(visit, problem) },
  ]
}

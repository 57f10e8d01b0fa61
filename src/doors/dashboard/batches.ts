import type { Batch } from '#backoffice/batches/batch.ts'
import { uploadLimits } from '#backoffice/batches/upload.ts'
import { type Html, html } from '#base/kit/html.ts'
import { isUuid, lastId } from '#base/kit/ids.ts'
import { en, fr, inBoth } from '#base/kit/texts.ts'
import { batchState } from './batches/states.ts'
import type { DashboardContext } from './context.ts'
import { empty, moment, money } from './frame/components.ts'
import { field, type Problems, problemList } from './frame/fields.ts'
import { type Screen, tokenField } from './frame/layout.ts'
import type { Pages } from './frame/pages.ts'
import { WrongFields } from './frame/problems.ts'
import { pager, table } from './frame/table.ts'
import type { Visit } from './frame/visit.ts'

const words = inBoth({
  fr: {
    title: fr`Paiements groupés`,
    lead: fr`Payez plusieurs personnes avec un fichier : salaires, commissions, gains. Vous
      vérifiez tout avant l'envoi ; une deuxième personne valide.`,
    upload: 'Nouveau fichier',
    file: fr`Fichier CSV ou Excel`,
    fileHint: fr`10 000 lignes et 5 Mo au plus.`,
    name: fr`Nom (facultatif)`,
    nameHint: fr`Par exemple : Salaires novembre`,
    check: fr`Vérifier le fichier`,
    template: fr`Modèle à remplir :`,
    noFile: fr`Choisissez un fichier.`,
    list: fr`Vos fichiers`,
    none: fr`Aucun paiement groupé pour l'instant.`,
    what: 'Nom',
    state: fr`État`,
    lines: 'Lignes',
    paid: fr`Payées`,
    amount: 'Montant',
    when: fr`Créé`,
    read: fr`Le fichier est lu. Vérifiez-le avant de le proposer.`,
  },
  en: {
    title: 'Payout batches',
    lead: en`Pay many people from one file: salaries, commissions, winnings. You check everything
        before it is sent, and a second person approves.`,
    upload: 'New file',
    file: 'CSV or Excel file',
    fileHint: 'At most 10,000 lines and 5 MB.',
    name: 'Name (optional)',
    nameHint: 'For example: Salaries November',
    check: 'Check the file',
    template: 'Template to fill in:',
    noFile: 'Choose a file.',
    list: 'Your files',
    none: 'No payout batches yet.',
    what: 'Name',
    state: 'State',
    lines: 'Lines',
    paid: 'Paid',
    amount: 'Amount',
    when: 'Created',
    read: 'The file was read. Check it before you propose it.',
  },
})

const pageLength = 20
/** GET, POST /dashboard/batches */
export default function batchList(pages: Pages, { batches }: DashboardContext): void {
  pages.screen('/dashboard/batches', 'batch.read', (visit) => show(visit, {}))

  pages.upload(
    '/dashboard/batches',
    {
      action: 'payout.propose',
      reviewed: null,
      bytesMax: uploadLimits.bytesMax,
      refused: (visit, problems) => show(visit, { file: Object.values(problems).join(' · ') }),
    },
    async (visit, form) => {
      const file = form.file('file')
      if (file === undefined) throw new WrongFields({ file: words[visit.language].noFile })
      const batch = await batches.upload({
        clientId: visit.client.id,
        actor: visit.actor,
        fileName: file.name,
        file: file.blocks(),
        ...(form.get('name') === '' ? {} : { name: form.get('name') }),
      })
      return { to: `/dashboard/batches/${batch.id}`, text: words[visit.language].read }
    },
  )

  async function show(visit: Visit, problems: Problems): Promise<Screen> {
    const { language, client, query } = visit
    const say = words[language]
    const { after = '' } = query
    const below = isUuid(after) ? after : lastId
    const found = await batches.list(client.id, { below, limit: pageLength + 1 })
    const rows = found.slice(0, pageLength)
    const next = found.length > pageLength ? (rows.at(-1)?.id ?? null) : null
    return {
      title: say.title,
      section: 'batches',
      body: html`<div class="head"><h1>${say.title}</h1></div>
<p class="hint">${say.lead}</p>
${visit.may('payout.propose') && uploadForm(visit, problems, rows.length === 0)}
<h2>${say.list}</h2>
${rows.length === 0 ? empty(say.none) : list(visit, rows)}
${pager(visit, next)}`,
    }
  }
}

/** Folded above a list, so that the list begins at once. */
function uploadForm(visit: Visit, problems: Problems, isFirst: boolean): Html {
  const say = words[visit.language]
  const isOpen = isFirst || Object.keys(problems).length > 0
  return html`<details class="card fold"${isOpen && html` open`}><summary>${say.upload}</summary>
<form method="post" action="/dashboard/batches" enctype="multipart/form-data">
${problemList(visit.language, problems)}
${tokenField(visit)}
${field({ name: 'file', label: say.file, hint: say.fileHint, type: 'file' }, problems)}
${field({ name: 'name', label: say.name, hint: say.nameHint, maxLength: 100 }, problems)}
<div class="head"><button>${say.check}</button>
<p class="hint">${say.template} <a href="/dashboard/batches/template?form=xlsx" download
 data-turbo="false">Excel</a>, <a href="/dashboard/batches/template?form=csv" download
 data-turbo="false">CSV</a></p></div></form></details>`
}

function list(visit: Visit, rows: Batch[]): Html {
  const { language } = visit
  const say = words[language]
  return table(
    rows,
    [
      {
        name: say.what,
        cell: ({ id, name }) => html`<a href="/dashboard/batches/${id}"><bdi>${name}</bdi></a>`,
        isTitle: true,
      },
      { key: 'status', name: say.state, cell: ({ state }) => batchState(language, state) },
      { name: say.lines, cell: ({ lines }) => lines, isNumeric: true },
      { name: say.paid, cell: ({ paid }) => paid, isNumeric: true },
      { key: 'amount', name: say.amount, cell: ({ amount }) => money(amount), isNumeric: true },
      { key: 'moment', name: say.when, cell: ({ createdAt }) => moment(visit, createdAt) },
    ],
    { caption: say.list, isBrief: true },
  )
}

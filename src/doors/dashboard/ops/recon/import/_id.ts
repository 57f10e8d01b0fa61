import type { KeptFile, Survey } from '#backoffice/recon/import/file.ts'
import type { Recon } from '#backoffice/recon/open.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { facts, moment, money, percentText } from '#doors/dashboard/frame/components.ts'
import { checkbox, problemList } from '#doors/dashboard/frame/fields.ts'
import { tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { problemsOf } from '#doors/dashboard/frame/problems.ts'
import { pager } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { inParty, nameOf, partyWord, spanOf } from '../parties.ts'
import { previewParts, problemTable } from '../preview-parts.ts'
import { reconWords } from '../words.ts'

const words = inBoth({
  fr: {
    back: fr`Importer un relevé`,
    size: 'Taille',
    time: fr`Jours demandés`,
    by: fr`Envoyé par`,
    import: 'Importer maintenant',
    importText: fr`Les lignes sont comparées à nos transactions. Celles dont l'issue est prouvée par
      le relevé sont terminées, les frais du prestataire sont comptés.`,
    faulty: fr`Il y a des lignes qui ne sont pas comprises : rien ne serait importé. Changez la
      lecture des fichiers, ou demandez un autre fichier au prestataire.`,
    mapping: 'Changer la lecture des fichiers',
    other: 'Envoyer un autre fichier',
    whole: fr`Ce qui serait importé`,
    lines: 'Lignes',
    problems: fr`Lignes pas comprises`,
    period: fr`Période`,
    paidIn: fr`Entrées chez le prestataire`,
    paidOut: 'Sorties',
    fees: 'Frais',
    opening: fr`Solde d'ouverture`,
    closing: fr`Solde de clôture`,
    unexplained: fr`Clôture moins ouverture et lignes`,
    ours: fr`Paiements retrouvés chez nous`,
    matched: (matched: number, asked: number) => fr`${matched} sur ${asked}`,
    doubt: {
      few_match: fr`Peu de paiements de ce fichier sont chez nous. Est-ce bien ce prestataire et ce
        pays ?`,
      wide: fr`Quelques lignes sont loin de toutes les autres et allongent la période. Leur date
        est-elle juste ? Nos paiements de tout ce temps seraient cherchés dans le fichier.`,
      balance: fr`Le solde d'ouverture et les lignes ne donnent pas le solde de clôture. Le fichier
        est-il entier, et le sens des montants est-il juste ?`,
    } satisfies Record<Survey['doubts'][number], string>,
    sure: fr`J'ai vérifié : c'est bien ce fichier.`,
    tickIt: fr`Vérifiez ce fichier, puis cochez que vous l'avez fait.`,
    begun: fr`L'import a commencé.`,
    progress: 'Avancement',
    leave: fr`Vous pouvez quitter cette page : l'import continue.`,
    refresh: 'Actualiser',
    refused: fr`Rien n'est importé : le fichier a des problèmes.`,
    all: (count: number) => fr`${count} au total, dans l'ordre du fichier.`,
    failed: fr`L'import n'a pas abouti. Rien n'est perdu : réessayez.`,
    retry: fr`Réessayer`,
    imported: fr`Le relevé est importé.`,
    result: fr`Voir le résultat`,
  },
  en: {
    back: 'Import a statement',
    size: 'Size',
    time: 'Days asked for',
    by: 'Sent by',
    import: 'Import it now',
    importText:
      'Its lines are compared with our transactions. Those whose outcome it proves are ended, ' +
      'and the provider’s fees are booked.',
    faulty:
      'Some lines are not understood: nothing would be imported. Change how files are read, or ' +
      'ask the provider for another file.',
    mapping: 'Change how files are read',
    other: 'Send another file',
    whole: 'What would be imported',
    lines: 'Lines',
    problems: 'Lines that are not understood',
    period: 'Time',
    paidIn: 'Paid in at the provider',
    paidOut: 'Paid out',
    fees: 'Fees',
    opening: 'Opening balance',
    closing: 'Closing balance',
    unexplained: 'Closing less opening and lines',
    ours: 'Payments found among ours',
    matched: (matched: number, asked: number) => `${matched} of ${asked}`,
    doubt: {
      few_match: 'Few payments of this file are ours. Is it this provider, and this country?',
      wide:
        'A few lines are far from all others and make the time longer. Are their dates right? ' +
        'Our payments of all that time would be looked for in the file.',
      balance:
        'Opening balance and lines do not come to the closing balance. Is the file whole, and ' +
        'are the directions of its amounts right?',
    } satisfies Record<Survey['doubts'][number], string>,
    sure: 'I have checked: this is the right file.',
    tickIt: 'Check this file, then tick that you have.',
    begun: 'The import has begun.',
    progress: 'Progress',
    leave: 'You can leave this page: the import goes on.',
    refresh: 'Refresh',
    refused: 'Nothing was imported: the file has problems.',
    all: (count: number) => `${count} in all, in the order of the file.`,
    failed: 'The import did not come to its end. Nothing is lost: try again.',
    retry: 'Try again',
    imported: 'The statement is imported.',
    result: 'See the result',
  },
})

const problemsShown = 100
const root = '/dashboard/ops/recon'

/** GET, POST /dashboard/ops/recon/import/:id: what is understood of a file, and its import */
export default function kept(pages: Pages, { recon }: DashboardContext): void {
  pages.screen(
    '/dashboard/ops/recon/import/:id',
    'ops.recon.import',
    async (asked) => {
      const file = await recon.file(asked.part('id'))
      if (file === undefined || file.state === 'arriving') return undefined
      const visit = inParty(asked, file)
      const say = words[visit.language]
      return {
        title: file.name,
        section: 'recon',
        body: html`<p class="back"><a href="${root}/import">${say.back}</a></p>
<div class="head"><h1><bdi>${file.name}</bdi></h1></div>
${await bodyOf(recon, visit, file)}
<section class="card">${facts([
          [reconWords[visit.language].provider, partyWord(visit.language, file)],
          [say.size, sizeText(visit.language, file.bytes)],
          [say.time, timeOf(visit, file)],
          [say.by, html`<bdi>${file.uploadedBy}</bdi> · ${moment(visit, file.uploadedAt)}`],
        ])}</section>`,
      }
    },
    'import',
  )

  pages.action(
    '/dashboard/ops/recon/import/:id',
    // What a file ends is as much as its lines say: nobody does that at a screen left open.
    { action: 'ops.recon.import', isSensitive: 'each time', reviewed: null },
    async (visit, form) => {
      const file = await recon.file(visit.part('id'))
      if (file === undefined || file.state === 'arriving') return undefined
      if (file.state === 'ready' && form.get('sure') === '' && (await doubtsOf(visit, recon, file)))
        return { to: `${root}/import/${file.id}`, text: words[visit.language].tickIt, tone: 'bad' }
      // One that is imported already shows where it is.
      await recon.importKept(file.id, visit.actor)
      return { to: `${root}/import/${file.id}`, text: words[visit.language].begun }
    },
  )
}

function bodyOf(recon: Recon, visit: OpsVisit, file: KeptFile): Piece | Promise<Piece> {
  const say = words[visit.language]
  if (file.state === 'ready') return ready(recon, visit, file)
  if (file.state === 'waiting') return progress(visit, file)
  if (file.state === 'refused') return refused(recon, visit, file)
  if (file.state === 'failed')
    return html`<p class="notice bad">${say.failed}</p>${importForm(visit, file, say.retry)}`
  return html`<p class="notice good">${say.imported}</p><p class="ways">
<a class="button" href="${root}/statements/${file.statementId}">${say.result}</a></p>`
}

async function ready(recon: Recon, visit: OpsVisit, file: KeptFile): Promise<Html> {
  const say = words[visit.language]
  try {
    const preview = await recon.previewKept(file)
    const { problems, proposal, lines } = preview
    const isRead = problems.length === 0 && proposal === null && lines.length > 0
    if (!isRead)
      return html`${faulty(visit, file)}${importForm(visit, file, say.import)}
${previewParts(visit, preview)}`
    const survey = await surveyFor(visit, recon, file)
    return html`${surveyCard(visit, survey)}<p>${say.importText}</p>
${importForm(visit, file, say.import, survey.doubts)}
${previewParts(visit, preview)}`
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem
    return html`${problemList(visit.language, problemsOf(problem, visit.language))}
${faulty(visit, file)}`
  }
}

function faulty({ language }: OpsVisit, file: KeptFile): Html {
  const say = words[language]
  return html`<div class="notice bad"><p>${say.faulty}</p><p class="ways">
<a class="button second" href="${root}/mappings/${nameOf(file)}?file=${file.id}">${
    say.mapping
  }</a></p></div>`
}

/** Whether a person has to say that they are sure; what cannot be read is refused by its import. */
async function doubtsOf(visit: OpsVisit, recon: Recon, file: KeptFile): Promise<boolean> {
  try {
    return (await surveyFor(visit, recon, file)).doubts.length > 0
  } catch (problem) {
    if (problem instanceof Refusal) return false
    throw problem
  }
}

/** What would be imported; given up when its reader leaves and nobody else waits for it. */
async function surveyFor({ request }: OpsVisit, recon: Recon, file: KeptFile): Promise<Survey> {
  const { socket } = request.raw
  const left = new AbortController()
  const leave = () => left.abort()
  socket.once('close', leave)
  try {
    return await recon.surveyKept(file, left.signal)
  } finally {
    socket.off('close', leave)
  }
}

/** What would be imported, in figures. */
function surveyCard(visit: OpsVisit, survey: Survey): Html {
  const { language } = visit
  const say = words[language]
  const { from, to, asked, matched, opening, closing, unexplained } = survey
  return html`<section class="card"><h2>${say.whole}</h2>${facts([
    [say.lines, String(survey.lines)],
    [say.problems, survey.problems > 0 && String(survey.problems)],
    [say.period, from !== null && to !== null && spanOf(visit, new Date(from), new Date(to))],
    [say.paidIn, money(survey.paidIn)],
    [say.paidOut, money(survey.paidOut)],
    [say.fees, money(survey.fees)],
    [say.opening, opening !== null && money(opening)],
    [say.closing, closing !== null && money(closing)],
    [say.unexplained, unexplained !== 0 && money(unexplained)],
    [say.ours, asked > 0 && say.matched(matched, asked)],
  ])}</section>`
}

function importForm(
  visit: OpsVisit,
  { id }: KeptFile,
  text: string,
  doubts: Survey['doubts'] = [],
): Html {
  const { other, sure, doubt } = words[visit.language]
  return html`<form method="post" action="${root}/import/${id}">${tokenField(visit)}
${
  doubts.length > 0 &&
  html`<div class="notice bad">${doubts.map((one) => html`<p>${doubt[one]}</p>`)}</div>
${checkbox('sure', sure, false)}`
}
<p class="ways"><button>${text}</button>
<a class="button second" href="${root}/import">${other}</a></p></form>`
}

function progress({ language }: OpsVisit, { id, share }: KeptFile): Html {
  const say = words[language]
  const path = `${root}/import/${id}`
  return html`<section class="card">
<progress max="1000" value="${share}" aria-label="${say.progress}"></progress>
<p>${percentText(language, share)}</p><p class="hint">${say.leave}</p>
<p class="ways"><a class="button second" href="${path}">${say.refresh}</a></p></section>`
}

async function refused(recon: Recon, visit: OpsVisit, file: KeptFile): Promise<Html> {
  const say = words[visit.language]
  const { after: asked = '' } = visit.query
  const after = /^\d{1,7}$/.test(asked) ? Number(asked) : 0
  const found = await recon.problems(file.id, { after, limit: problemsShown + 1 })
  const rows = found.slice(0, problemsShown)
  const next = found.length > problemsShown ? String(rows.at(-1)?.number) : null
  return html`<div class="notice bad"><p>${say.refused}</p><p class="ways">
<a class="button second" href="${root}/mappings/${nameOf(file)}">${say.mapping}</a>
<a class="button second" href="${root}/import">${say.other}</a></p></div>
${problemTable(visit, rows, say.all(file.problems))}
${pager(visit, next)}`
}

function timeOf(visit: OpsVisit, { fromAt, toAt }: KeptFile): Piece {
  if (fromAt === null && toAt === null) return null
  if (fromAt !== null && toAt !== null) return spanOf(visit, fromAt, toAt)
  return html`${fromAt !== null && moment(visit, fromAt)} – ${toAt !== null && moment(visit, toAt)}`
}

function sizeText(language: Language, bytes: number): string {
  const unit = { fr: 'o', en: 'B' }[language]
  if (bytes < 1000) return `${bytes}\u00a0${unit}`
  return bytes < 1_000_000
    ? `${Math.round(bytes / 1000)}\u00a0k${unit}`
    : `${Math.round(bytes / 1e6)}\u00a0M${unit}`
}

import { partyFacts } from '#backoffice/recon/import/party.ts'
import { html } from '#base/kit/html.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { endOfDay, isDay, startOfDay } from '#base/kit/zoned-days.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Form } from '#doors/dashboard/frame/actions.ts'
import { field, type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { problemsOf } from '#doors/dashboard/frame/problems.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { partyOf, partyOptions } from './parties.ts'
import { reconWords } from './words.ts'

const words = inBoth({
  fr: {
    title: fr`Importer un relevé`,
    lead: fr`Vous voyez d'abord ce qui est compris du fichier. Rien n'est importé avant.`,
    choose: 'Choisissez',
    noProvider: fr`Choisissez le prestataire.`,
    from: 'Du (facultatif)',
    to: 'Au (facultatif)',
    days: fr`Les jours que le relevé couvre, à l'heure du pays du prestataire. Sans eux, ceux de ses
      lignes.`,
    noDay: fr`Écrivez un jour qui existe, par exemple 2026-11-16.`,
    file: 'Fichier CSV, Excel ou camt.053',
    fileHint: fr`De toute taille, jusqu'à 2 Go.`,
    noFile: fr`Choisissez un fichier.`,
    look: 'Envoyer et voir',
    again: fr`Choisissez de nouveau le fichier.`,
    known: fr`Ce fichier est déjà importé : voici son résultat. Rien n'a changé.`,
    kept: fr`Le fichier est arrivé. Regardez ce qui en est compris.`,
  },
  en: {
    title: 'Import a statement',
    lead: 'You first see what is understood of the file. Nothing is imported before that.',
    choose: 'Choose',
    noProvider: 'Choose the provider.',
    from: 'From (optional)',
    to: 'To (optional)',
    days:
      'The days that the statement covers, in the time of its country. Without them, those of ' +
      'its lines.',
    noDay: 'Write a day that exists, such as 2026-11-16.',
    file: 'CSV, Excel or camt.053 file',
    fileHint: 'Of any size, up to 2 GB.',
    noFile: 'Choose a file.',
    look: 'Send and look',
    again: 'Choose the file again.',
    known: 'This file has been imported already: here is its result. Nothing has changed.',
    kept: 'The file has arrived. Look at what is understood of it.',
  },
})

const root = '/dashboard/ops/recon'

/** GET, POST /dashboard/ops/recon/import: sends a file, which is read as it arrives */
export default function importStatement(pages: Pages, { recon }: DashboardContext): void {
  pages.screen('/dashboard/ops/recon/import', 'ops.recon.import', (visit) =>
    show(visit, visit.query, {}),
  )

  pages.upload(
    '/dashboard/ops/recon/import',
    { action: 'ops.recon.import', reviewed: null, bytesMax: 'streamed' },
    async (visit, form) => {
      const say = words[visit.language]
      const { problems, order } = readOrder(visit, form)
      const file = form.streamed('file')
      if (file === undefined || order === undefined)
        return show(visit, form.fields, {
          ...problems,
          file: file === undefined ? say.noFile : say.again,
        })
      try {
        const { name, content } = file
        const kept = await recon.keep({ ...order, name, file: content, actor: visit.actor })
        if ('statement' in kept)
          return { to: `${root}/statements/${kept.statement.id}`, text: say.known }
        return { to: `${root}/import/${kept.file.id}`, text: say.kept }
      } catch (problem) {
        if (!(problem instanceof Refusal)) throw problem
        return show(visit, form.fields, { file: say.again, ...problemsOf(problem, visit.language) })
      }
    },
  )
}

function readOrder(visit: OpsVisit, form: Form) {
  const say = words[visit.language]
  const problems: Problems = {}
  const party = partyOf(form.get('provider'))
  if (party === undefined) problems.provider = say.noProvider
  const [from, to] = [form.get('from'), form.get('to')]
  if (from !== '' && !isDay(from)) problems.from = say.noDay
  if (to !== '' && !isDay(to)) problems.to = say.noDay
  if (party === undefined || Object.keys(problems).length > 0) return { problems }
  const { timeZone } = partyFacts(party)
  const order = {
    ...party,
    from: from === '' ? undefined : startOfDay(from, timeZone),
    to: to === '' ? undefined : endOfDay(to, timeZone),
  }
  return { problems, order }
}

function show(visit: OpsVisit, typed: Record<string, string>, problems: Problems): Screen {
  const { language } = visit
  const say = words[language]
  const { title, provider } = reconWords[language]
  const options: [string, string][] = [['', say.choose], ...partyOptions(language)]
  const day = { type: 'date', autocomplete: 'off' }
  return {
    title: say.title,
    section: 'recon',
    body: html`<p class="back"><a href="${root}">${title}</a></p>
<div class="head"><h1>${say.title}</h1></div><p class="hint">${say.lead}</p>
<form class="card" method="post" action="${root}/import" enctype="multipart/form-data">
${problemList(language, problems)}
${tokenField(visit)}
${field(
  { name: 'provider', label: provider, value: typed.provider ?? '', options, isRequired: true },
  problems,
)}
${field(
  { name: 'from', label: say.from, value: typed.from ?? '', hint: say.days, ...day },
  problems,
)}
${field({ name: 'to', label: say.to, value: typed.to ?? '', ...day }, problems)}
${field(
  { name: 'file', label: say.file, hint: say.fileHint, type: 'file', isRequired: true },
  problems,
)}
<button>${say.look}</button></form>`,
  }
}

import type { FeeTerms, StoredMapping } from '#backoffice/recon/import/mapping.ts'
import type { Party } from '#backoffice/recon/import/statement.ts'
import type { Recon } from '#backoffice/recon/open.ts'
import { type Html, html } from '#base/kit/html.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { moment } from '#doors/dashboard/frame/components.ts'
import { field, type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { Fact } from '#doors/dashboard/frame/reviewed.ts'
import { refuseTooLarge } from '#doors/dashboard/frame/uploads.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { sentenceOf } from '#doors/dashboard/frame/words.ts'
import type { Mapping } from '#formats/statements/mapping.ts'
import type { StatementPreview } from '#formats/statements/preview.ts'
import { feeTermsOf, mappingOf, type Typed, typedOf } from '../mapping-fields.ts'
import { inParty, nameOf, partyOf, partyWord } from '../parties.ts'
import { previewParts } from '../preview-parts.ts'
import { reconWords } from '../words.ts'
import { mappingFields } from './form.ts'

const words = inBoth({
  fr: {
    title: (party: string) => fr`Lecture des fichiers : ${party}`,
    none: fr`Rien n'est gardé pour ce prestataire : ses fichiers doivent se comprendre
      d'eux-mêmes.`,
    by: fr`Changé par`,
    at: fr`Changé le`,
    changed: (by: string) => fr`Changé par ${by},`,
    proposed: fr`Voici ce que les titres du fichier laissent penser. Vérifiez, essayez, puis
      enregistrez.`,
    sample: fr`Fichier pour essayer (facultatif)`,
    sampleHint: fr`5 Mo au plus. Il n'est pas gardé.`,
    try: fr`Essayer sur ce fichier`,
    noSample: fr`Choisissez un fichier pour essayer.`,
    save: 'Enregistrer',
    saved: fr`C'est enregistré. Les prochains fichiers seront lus ainsi.`,
    readOnly: fr`Vous pouvez voir cette lecture, pas la changer.`,
  },
  en: {
    title: (party: string) => `How files are read: ${party}`,
    none: 'Nothing is kept for this provider: its files have to be understood by themselves.',
    by: 'Changed by',
    at: 'Changed at',
    changed: (by: string) => `Changed by ${by},`,
    proposed: 'This is what the titles of the file suggest. Check it, try it, then save it.',
    sample: 'File to try it on (optional)',
    sampleHint: 'At most 5 MB. It is not kept.',
    try: 'Try it on this file',
    noSample: 'Choose a file to try it on.',
    save: 'Save',
    saved: 'It is saved. The next files are read like this.',
    readOnly: 'You can see how files are read, but not change it.',
  },
})

const sampleBytesMax = 5_000_000
const root = '/dashboard/ops/recon'

interface Shown {
  typed: Typed
  changed?: Html
  problems?: string[]
  preview?: StatementPreview | undefined
  isProposed?: boolean
}

/** GET, POST /dashboard/ops/recon/mappings/:provider: how the files of a provider are read */
export default function mapping(pages: Pages, { recon }: DashboardContext): void {
  const screen = (visit: OpsVisit, party: Party, shown?: Shown) =>
    screenOf(recon, visit, party, shown)

  pages.screen('/dashboard/ops/recon/mappings/:provider', 'ops.recon.read', async (visit) => {
    const party = partyOf(visit.part('provider'))
    if (party === undefined) return undefined
    const file = await recon.file(visit.query.file ?? '')
    if (file?.state !== 'ready' || nameOf(file) !== nameOf(party)) return screen(visit, party)
    const preview = await recon.previewKept(file)
    const { proposal } = preview
    if (proposal === null) return screen(visit, party)
    const fees = (await recon.mapping(party))?.fees ?? null
    return screen(visit, party, { typed: typedOf(proposal, fees), preview, isProposed: true })
  })

  pages.upload(
    '/dashboard/ops/recon/mappings/:provider',
    {
      action: 'ops.recon.import',
      bytesMax: sampleBytesMax,
      reviewed: {
        find: async (visit) => {
          const party = partyOf(visit.part('provider'))
          return party && { party, kept: await recon.mapping(party) }
        },
        // To try it changes nothing.
        facts: (visit, { party, kept }, form) =>
          form.get('verb') === 'try' ? [] : seenOf(visit, party, kept),
        again: (visit, { party }, form, changed) =>
          screen(visit, party, { typed: form.fields, changed }),
      },
    },
    async (visit, form, { party }) => {
      const say = words[visit.language]
      const typed = form.fields
      const content = mappingOf(typed)
      try {
        if (form.get('verb') === 'try') {
          const file = form.file('sample')
          if (file === undefined)
            return await screen(visit, party, { typed, problems: [say.noSample] })
          refuseTooLarge(file, sampleBytesMax, 'sample')
          const order = { ...party, file: file.blocks(), ...(content === null ? {} : { content }) }
          const preview = await recon.preview(order)
          const { proposal } = preview
          const isProposed = proposal !== null && content === null
          const shown = isProposed ? typedOf(proposal, feeTermsOf(typed)) : typed
          return {
            ...(await screen(visit, party, { typed: shown, preview, isProposed })),
            status: 200,
          }
        }
        const fees: FeeTerms | null = feeTermsOf(typed)
        await recon.saveMapping({ ...party, content, fees, actor: visit.actor })
        return { to: `${root}/mappings/${nameOf(party)}`, text: say.saved }
      } catch (problem) {
        if (!(problem instanceof Refusal)) throw problem
        const problems = problem.reasons.map((one) => sentenceOf(one, visit.language))
        return screen(visit, party, { typed, problems })
      }
    },
  )
}

/** What the form shows: the mapping that somebody has saved last. */
function seenOf(visit: OpsVisit, party: Party, kept: StoredMapping | undefined): Fact[] {
  const { language } = visit
  const show = (value: Fact['value']) => moment(visit, new Date(String(value)))
  const changedAt = kept?.changedAt.toISOString() ?? null
  return [
    { name: 'party', label: reconWords[language].provider, value: nameOf(party) },
    { name: 'changedBy', label: words[language].by, value: kept?.changedBy ?? null },
    { name: 'changedAt', label: words[language].at, value: changedAt, show },
  ]
}

async function screenOf(
  recon: Recon,
  visit: OpsVisit,
  party: Party,
  shown?: Shown,
): Promise<Screen> {
  const kept = await recon.mapping(party)
  const content = (kept?.content ?? null) as Mapping | null
  const {
    typed,
    problems = [],
    changed: changes,
    preview,
    isProposed,
  } = shown ?? {
    typed: typedOf(content, kept?.fees ?? null),
  }
  const say = words[visit.language]
  const title = say.title(partyWord(visit.language, party))
  const wrong: Problems = problems.length > 0 ? { '': problems.join(' · ') } : {}
  const mayChange = visit.may('ops.recon.import')
  const changed = kept !== undefined && [say.changed(kept.changedBy), moment(visit, kept.changedAt)]
  return {
    title,
    section: 'recon',
    body: html`<p class="back"><a href="${root}">${reconWords[visit.language].title}</a></p>
<div class="head"><h1>${title}</h1></div>
<p class="hint">${changed === false ? say.none : html`<bdi>${changed[0]}</bdi> ${changed[1]}`}</p>
${changes}${isProposed === true && html`<p class="notice">${say.proposed}</p>`}
${!mayChange && html`<p class="notice">${say.readOnly}</p>`}
${problemList(visit.language, wrong)}
${preview !== undefined && previewParts(inParty(visit, party), preview)}
${form(visit, party, typed, mayChange ? seenOf(visit, party, kept) : null)}`,
  }
}

function form(visit: OpsVisit, party: Party, typed: Typed, seen: Fact[] | null): Html {
  const say = words[visit.language]
  const fields = mappingFields(visit, typed)
  if (seen === null) return html`<fieldset class="card" disabled>${fields}</fieldset>`
  return html`<form class="card" method="post" action="${root}/mappings/${nameOf(party)}"
 enctype="multipart/form-data">${tokenField(visit, seen)}
${fields}
${field({ name: 'sample', label: say.sample, hint: say.sampleHint, type: 'file' })}
<p class="ways"><button name="verb" value="save">${say.save}</button>
<button class="second" name="verb" value="try">${say.try}</button></p></form>`
}

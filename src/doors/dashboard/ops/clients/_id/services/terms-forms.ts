import { type Html, html, type Piece } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { formatAmount } from '#base/kit/money.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { Form } from '#doors/dashboard/frame/actions.ts'
import { checkbox, field, type Problems } from '#doors/dashboard/frame/fields.ts'
import { placeWord } from '#doors/dashboard/frame/kinds.ts'
import { tokenField } from '#doors/dashboard/frame/layout.ts'
import { WrongFields } from '#doors/dashboard/frame/problems.ts'
import { readFields } from '#doors/dashboard/frame/read-fields.ts'
import { type Fact, fieldFact } from '#doors/dashboard/frame/reviewed.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { generalLimits } from '#merchants/clients/contract.ts'
import { isFree } from '#merchants/clients/fees.ts'
import type { changeTerms } from '#merchants/clients/terms.ts'
import type { ServiceTerms } from '#merchants/clients/terms-store.ts'
import { amountsText, feeText, serviceState } from '../services.ts'

const [generalMin, generalMax] = [generalLimits.min, generalLimits.max].map(formatAmount)

export const termsWords = inBoth({
  fr: {
    all: fr`Tous les services`,
    title: 'Service',
    state: fr`État`,
    open: 'Ouvrir le service',
    close: 'Fermer le service',
    openAll: fr`Ouvrir tous les services`,
    closeAll: fr`Fermer tous les services`,
    openText: fr`Le marchand peut l'utiliser immédiatement.`,
    closeText: fr`Les nouveaux paiements sont refusés. Ceux qui sont en cours vont à leur terme.`,
    fee: 'Frais',
    airtime: fr`Le crédit téléphonique coûte toujours 1 %.`,
    fixed: 'Part fixe, en francs',
    basisPoints: fr`Part du montant, en points de base`,
    basisPointsHint: fr`100 points de base = 1 %.`,
    min: fr`Frais minimum`,
    max: fr`Frais maximum`,
    maxHint: fr`Vide : sans plafond.`,
    setFee: 'Enregistrer les frais',
    free: fr`Ce service est gratuit`,
    notFree: fr`Les frais sont de 0 : saisissez des frais, ou cochez que ce service est gratuit.`,
    amounts: 'Montants',
    amountMin: 'Montant minimum',
    amountMax: 'Montant maximum',
    amountHint: (general: string) => fr`Vide : la limite générale, ${general}.`,
    setAmounts: 'Enregistrer les montants',
    whole: fr`Choisissez ce que vous voulez changer.`,
  },
  en: {
    all: 'All services',
    title: 'Service',
    state: 'State',
    open: 'Open the service',
    close: 'Close the service',
    openAll: 'Open all services',
    closeAll: 'Close all services',
    openText: 'The merchant can use it immediately.',
    closeText: 'New payments are refused. Those in progress are completed.',
    fee: 'Fee',
    airtime: 'Airtime always costs 1%.',
    fixed: 'Fixed part, in francs',
    basisPoints: 'Share of the amount, in basis points',
    basisPointsHint: '100 basis points = 1%.',
    min: 'Minimum fee',
    max: 'Maximum fee',
    maxHint: 'Leave blank for no maximum.',
    setFee: 'Save the fee',
    free: 'This service is free of charge',
    notFree: 'The fee is 0: enter one, or tick that this service is free of charge.',
    amounts: 'Amounts',
    amountMin: 'Minimum amount',
    amountMax: 'Maximum amount',
    amountHint: (general: string) => `Leave blank for the general limit, ${general}.`,
    setAmounts: 'Save the amounts',
    whole: 'Choose what to change.',
  },
})

const feeNames = ['fixed', 'basisPoints', 'min', 'max'] as const
const amountNames = ['amountMin', 'amountMax'] as const

/** The fields as they are typed; an empty one is not set. */
export type TermsFields = Record<(typeof feeNames)[number] | (typeof amountNames)[number], string>

/** The fields of terms as they are; null: of all services at once. */
export function fieldsOfTerms(terms: ServiceTerms | null): TermsFields {
  return {
    fixed: text(terms?.fixed),
    basisPoints: text(terms?.basisPoints),
    min: text(terms?.min),
    max: text(terms?.max),
    amountMin: text(terms?.amountMin),
    amountMax: text(terms?.amountMax),
  }
}

function text(value: number | null = null): string {
  return value === null ? '' : String(value)
}

/** What the form of a change shows of the terms. */
export function factsOfTerms(
  { language, path }: OpsVisit,
  code: string,
  terms: ServiceTerms | null,
  what: string,
): Fact[] {
  const say = termsWords[language]
  const fields = fieldsOfTerms(terms)
  const service = {
    name: 'service',
    label: say.title,
    value: path,
    show: () => (code === 'all' ? say.all : placeWord(language, code)),
  }
  const all = (names: readonly (keyof TermsFields)[]) =>
    names.map((name) => fieldFact(name, say[name], fields[name]))
  if (what === 'amounts') return [service, ...all(amountNames)]
  if (what === 'fee') return [service, ...all(feeNames)]
  const show = () => terms !== null && serviceState(language, terms)
  const isEnabled = terms?.isEnabled ?? null
  return [
    service,
    { name: 'isEnabled', label: say.state, value: isEnabled, show },
    // It is opened at the fee that was seen.
    ...(what === 'open' ? all(feeNames).map((one) => ({ ...one, isField: false })) : []),
  ]
}

type Change = Parameters<typeof changeTerms>[2]['change']

const francsMax = 999_999_999

/** What one of the forms asks for, and whether it must not leave a service free unasked. */
export function readChange(
  language: Language,
  form: Form,
): { change: Change; refusesFree: boolean } {
  const say = termsWords[language]
  const read = readFields(language, form.get)
  const number = (name: keyof TermsFields, range: { min: number; max: number }) =>
    form.get(name) === '' ? null : read.amount(name, say[name], range)
  const [fee, amount] = [
    { min: 0, max: francsMax },
    { min: 1, max: francsMax },
  ]
  const what = form.get('what')
  const changes: Record<string, () => Change> = {
    open: () => ({ isEnabled: true }),
    close: () => ({ isEnabled: false }),
    fee: () => ({
      fixed: number('fixed', fee) ?? 0,
      basisPoints: number('basisPoints', { min: 0, max: 10_000 }) ?? 0,
      min: number('min', fee) ?? 0,
      max: number('max', fee),
    }),
    amounts: () => ({
      amountMin: number('amountMin', amount),
      amountMax: number('amountMax', amount),
    }),
  }
  const change = Object.hasOwn(changes, what) ? changes[what]?.() : undefined
  if (change === undefined) throw new WrongFields({ '': say.whole })
  read.check()
  return { change, refusesFree: (what === 'open' || what === 'fee') && !form.has('free') }
}

interface Shown {
  code: string
  terms: ServiceTerms | null
  fields: TermsFields
  problems: Problems
}

/** A form each for the state, the fee and the amounts. */
export function termsForms(visit: OpsVisit, shown: Shown): Html {
  return html`<div class="columns">
<div class="stack">${stateForms(visit, shown)}${amountForm(visit, shown)}</div>
${feeForm(visit, shown)}</div>`
}

function stateForms(visit: OpsVisit, { code, terms }: Shown): Html {
  const say = termsWords[visit.language]
  const service = terms === null ? undefined : parseServiceCode(terms.serviceCode)
  // Of all services some may be free: the box stands there for those.
  const mayBeFree = terms === null || (service !== undefined && isFree(service, terms))
  const isAll = terms === null
  const seen = (what: string) => factsOfTerms(visit, code, terms, what)
  const open = html`<form method="post" action="${visit.path}">${tokenField(visit, seen('open'))}
<p class="hint">${say.openText}</p>${mayBeFree && checkboxOnce('free-open', say.free)}
<button name="what" value="open">${isAll ? say.openAll : say.open}</button></form>`
  const close = html`<form method="post" action="${visit.path}">${tokenField(visit, seen('close'))}
<p class="hint">${say.closeText}</p>
<button class="danger" name="what" value="close">${isAll ? say.closeAll : say.close}</button>
</form>`
  return html`<section class="card"><h2>${say.state}</h2>
${terms !== null && html`<p>${serviceState(visit.language, terms)}</p>`}
${terms?.isEnabled !== true && open}${terms?.isEnabled !== false && close}</section>`
}

/** A second box of the name `free` on a page, under an id of its own. */
function checkboxOnce(id: string, text: string): Html {
  return html`<p class="tick"><input type="checkbox" id="${id}" name="free" value="yes">
<label for="${id}">${text}</label></p>`
}

function feeForm(visit: OpsVisit, { code, terms, fields, problems }: Shown): Html {
  const say = termsWords[visit.language]
  const service = terms === null ? undefined : parseServiceCode(terms.serviceCode)
  const now: Piece =
    terms !== null &&
    service !== undefined &&
    html`<p>${feeText(visit.language, service, terms)}</p>`
  if (service?.type === 'AIRTIME')
    return html`<section class="card"><h2>${say.fee}</h2>${now}<p class="hint">${say.airtime}</p>
</section>`
  const hints = { fixed: {}, min: {}, max: { hint: say.maxHint } }
  const input = (name: (typeof feeNames)[number]) =>
    field(
      {
        name,
        label: say[name],
        value: fields[name],
        inputmode: 'numeric',
        ...(name === 'basisPoints' ? { hint: say.basisPointsHint } : hints[name]),
      },
      problems,
    )
  return html`<form class="card" method="post" action="${visit.path}"><h2>${say.fee}</h2>
${tokenField(visit, factsOfTerms(visit, code, terms, 'fee'))}${now}
${terms === null && html`<p class="hint">${say.airtime}</p>`}
${feeNames.map(input)}
${checkbox('free', say.free, false)}
<button name="what" value="fee">${say.setFee}</button></form>`
}

function amountForm(visit: OpsVisit, { code, terms, fields, problems }: Shown): Html {
  const say = termsWords[visit.language]
  const general = { amountMin: generalMin ?? '', amountMax: generalMax ?? '' }
  const input = (name: (typeof amountNames)[number]) =>
    field(
      {
        name,
        label: say[name],
        hint: say.amountHint(general[name]),
        value: fields[name],
        inputmode: 'numeric',
      },
      problems,
    )
  return html`<form class="card" method="post" action="${visit.path}"><h2>${say.amounts}</h2>
${tokenField(visit, factsOfTerms(visit, code, terms, 'amounts'))}
${terms !== null && html`<p>${amountsText(terms)}</p>`}
${amountNames.map(input)}
<button name="what" value="amounts">${say.setAmounts}</button></form>`
}

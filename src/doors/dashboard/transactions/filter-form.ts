import { type Html, html, type Piece } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { isDay } from '#base/kit/zoned-days.ts'
import { icons } from '#edge/pages/icons.ts'
import type { Service } from '#merchants/catalog/services.ts'
import { operations, transactionStatuses } from '#money/transactions/transaction.ts'
import { dayText, hrefWith, statusWord } from '../frame/components.ts'
import { field, problemList } from '../frame/fields.ts'
import { kindWord, providerWord } from '../frame/kinds.ts'
import { filterFold, hidden, searchForm, toolbar } from '../frame/toolbar.ts'
import type { AnyVisit } from '../frame/visit.ts'
import { frameWords } from '../frame/words.ts'
import { type Asked, type FilterName, filterNames, hideOf } from './filters.ts'
import { columnWords, optionalColumns, type ShopNames } from './rows.ts'

const words = inBoth({
  fr: {
    searchHint: fr`Une référence, un numéro, un montant, un article ou un client`,
    any: 'Tous',
    remove: (text: string) => fr`Enlever le filtre ${text}`,
    columns: 'Colonnes',
    hide: 'Masquer :',
    show: 'Afficher :',
    labels: {
      status: fr`État`,
      kind: fr`Opération`,
      service: 'Service',
      from: 'Du',
      to: 'Au',
      min: fr`Montant, de`,
      max: fr`Montant, jusqu'à`,
      number: fr`Numéro`,
      shop: 'Point de vente',
      client: fr`Marchand (nom ou numéro)`,
    },
  },
  en: {
    searchHint: 'A reference, a number, an amount, an item or a customer',
    any: 'All',
    remove: (text: string) => `Remove the filter ${text}`,
    columns: 'Columns',
    hide: 'Hide:',
    show: 'Show:',
    labels: {
      status: 'Status',
      kind: 'Operation',
      service: 'Service',
      from: 'From',
      to: 'To',
      min: 'Amount, from',
      max: 'Amount, up to',
      number: 'Number',
      shop: 'Sub-merchant',
      client: 'Merchant (name or number)',
    },
  },
})

/** What a client's filters can choose from. */
export interface Choices {
  services: readonly Service[]
  shops: ShopNames
  /** Which filters there are; those of merchants, if left out. */
  names?: readonly FilterName[]
}

/** The search, the filters, a chip for each that is set, and what else a list offers. */
export function filterForm(
  visit: AnyVisit,
  asked: Asked,
  choices: Choices,
  more: Piece = null,
): Html {
  const { language, query } = visit
  const { searchHint, labels, any } = words[language]
  const { typed, problems } = asked
  const options = optionsOf(language, choices)
  const names = choices.names ?? filterNames
  const fields = names.map((name) => {
    const choice = options[name]
    // What the address may ask for, and the form cannot choose: sending the form keeps it.
    const severalOf = (known: Option[]): Option[] => {
      const value = typed[name]
      return value?.includes(',') === true ? [[value, choicesInWords(known, value)]] : []
    }
    return field(
      {
        name,
        label: labels[name],
        value: typed[name] ?? '',
        type: name === 'from' || name === 'to' ? 'date' : 'text',
        ...(name === 'number' ? { inputmode: 'tel', autocomplete: 'off' } : {}),
        ...(name === 'min' || name === 'max' ? { inputmode: 'numeric', autocomplete: 'off' } : {}),
        ...(choice === undefined ? {} : { options: [['', any], ...choice, ...severalOf(choice)] }),
      },
      problems,
    )
  })
  const { q: _q, ...wrong } = problems
  const fold = filterFold(visit, {
    fields: [hidden('hide', query.hide), ...fields],
    count: names.filter((name) => typed[name] !== undefined).length,
    problems: wrong,
  })
  return html`${problemList(language, problems)}
${toolbar(
  searchForm(visit, { hint: searchHint, value: asked.search, keeps: ['hide'] }),
  fold,
  setFilters(visit, asked, choices),
  more,
)}`
}

type Option = [value: string, text: string]
type Options = Partial<Record<FilterName, Option[]>>

/** The words of a value, or of several with commas between them. */
function choicesInWords(options: Option[] | undefined, value: string): string {
  const wordOf = (one: string) => options?.find(([known]) => known === one)?.[1] ?? one
  return options === undefined ? value : value.split(',').map(wordOf).join(', ')
}

function optionsOf(language: Language, { services, shops }: Choices): Options {
  const all: Options = {
    status: transactionStatuses.map((one) => [one, statusWord(language, one)]),
    kind: operations.map((one) => [one, kindWord(language, one)]),
    service: services.map(({ code, operation }) => [
      code,
      `${providerWord(language, code)}, ${kindWord(language, operation)}`,
    ]),
    shop: [...shops],
  }
  return all
}

/** The filters that are set: the name of each in the address, its label, its value in words. */
export function filtersInWords(
  { language }: Pick<AnyVisit, 'language'>,
  { typed, search }: Pick<Asked, 'typed' | 'search'>,
  choices: Choices,
): [name: string, label: string, value: string][] {
  const options = optionsOf(language, choices)
  const { labels } = words[language]
  const names = choices.names ?? filterNames
  const set: [name: string, label: string, value: string][] = names.flatMap((name) => {
    const value = typed[name]
    if (value === undefined) return []
    const isOneDay = (name === 'from' || name === 'to') && isDay(value)
    const text = isOneDay ? dayText(language, value) : choicesInWords(options[name], value)
    return [[name, labels[name], text]]
  })
  return search === '' ? set : [...set, ['q', frameWords[language].search, search]]
}

/** Each filter that is set, as a link that takes it away. */
function setFilters(visit: AnyVisit, asked: Asked, choices: Choices): Piece {
  const { remove } = words[visit.language]
  const { colon } = frameWords[visit.language]
  const set = filtersInWords(visit, asked, choices)
  if (set.length === 0) return null
  return html`<ul class="chips">${set.map(([name, label, text]) => {
    const href = hrefWith(visit, { [name]: null, after: null })
    const what = remove(`${label} ${text}`)
    return html`<li><a href="${href}" aria-label="${what}"><span>${label}${colon}
<b><bdi>${text}</bdi></b></span> <span aria-hidden="true">×</span></a></li>`
  })}</ul>`
}

/** Each column that may be hidden, as a link that hides or shows it. */
export function columnChoice(
  visit: AnyVisit,
  { hidden: isHidden }: Asked,
): { name: string; entries: Html[] } {
  const names = columnWords[visit.language]
  const { columns, hide, show } = words[visit.language]
  const entries = optionalColumns.map((key) => {
    const isShown = !isHidden.includes(key)
    const next = isShown ? [...isHidden, key] : isHidden.filter((one) => one !== key)
    const href = hrefWith(visit, { hide: hideOf(next) })
    const name = key === 'number' ? names.payer : names[key]
    return html`<a href="${href}" aria-label="${isShown ? hide : show} ${name}">${
      icons[isShown ? 'check' : 'add']
    }${name}</a>`
  })
  return { name: columns, entries }
}

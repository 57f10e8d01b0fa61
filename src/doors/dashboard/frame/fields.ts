import { type Html, html, type Piece } from '#base/kit/html.ts'
import { type Language, languages } from '#base/kit/language.ts'
import { frameWords } from './words.ts'

/** What is wrong with a form: a sentence for each field, by its name; '' is the form itself. */
export type Problems = Record<string, string>

export interface Field {
  name: string
  label: string
  value?: string
  type?: string
  hint?: string
  isRequired?: boolean
  autocomplete?: string
  inputmode?: string
  maxLength?: number
  options?: [value: string, text: string][]
  rows?: number
  /** Further attributes of the control. */
  attributes?: Html
}

export const languageNames: Record<Language, string> = { fr: 'Français', en: 'English' }

/** A choice between the languages. */
export function languageField(label: string, value: Language): Html {
  const options = languages.map((one): [string, string] => [one, languageNames[one]])
  return field({ name: 'language', label, value, options })
}

/** A field with its label, hint and what is wrong with it. */
export function field(one: Field, problems: Problems = {}): Html {
  const problem = problems[one.name]
  const isFirst = problem !== undefined && Object.keys(problems)[0] === one.name
  const described = [
    one.hint !== undefined && `${one.name}-hint`,
    problem !== undefined && `${one.name}-problem`,
  ].filter(Boolean)
  const common = html`id="${one.name}" name="${one.name}"${[
    one.isRequired === true && html` required`,
    isFirst && html` autofocus`,
    problem !== undefined && html` aria-invalid="true"`,
    described.length > 0 && html` aria-describedby="${described.join(' ')}"`,
    one.attributes,
  ]}`
  return html`<div class="field"><label for="${one.name}">${one.label}</label>
${one.hint !== undefined && html`<span class="hint" id="${one.name}-hint">${one.hint}</span>`}
${control(one, common)}
${
  problem !== undefined && html`<span class="wrong" id="${one.name}-problem">${problem}</span>`
}</div>`
}

function control(one: Field, common: Html): Html {
  const { value = '', options, rows, type = 'text' } = one
  if (options !== undefined)
    return html`<select ${common}>${options.map(
      ([option, text]) =>
        html`<option value="${option}"${option === value && html` selected`}>${text}</option>`,
    )}</select>`
  if (rows !== undefined) return html`<textarea ${common} rows="${rows}">${value}</textarea>`
  return html`<input ${common} type="${type}"${type !== 'file' && html` value="${value}"`}${
    one.autocomplete !== undefined && html` autocomplete="${one.autocomplete}"`
  }${one.inputmode !== undefined && html` inputmode="${one.inputmode}"`}${
    one.maxLength !== undefined && html` maxlength="${one.maxLength}"`
  }>`
}

/** A box to tick. */
export function checkbox(name: string, text: string, isChecked: boolean): Html {
  return html`<p class="tick"><input type="checkbox" id="${name}" name="${name}" value="yes"${
    isChecked && html` checked`
  }><label for="${name}">${text}</label></p>`
}

/** All that is wrong, each with a link to its field. */
export function problemList(language: Language, problems: Problems): Piece {
  const entries = Object.entries(problems)
  if (entries.length === 0) return null
  return html`<div class="notice bad" role="alert"><p><b>${frameWords[language].problems}</b></p>
<ul>${entries.map(([name, text]) =>
    name === '' ? html`<li>${text}</li>` : html`<li><a href="#${name}">${text}</a></li>`,
  )}</ul></div>`
}

import { scaleLinear, scaleUtc } from 'd3-scale'
import { type Html, html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'

interface BalanceChart {
  title: string
  points: { at: Date; balance: number }[]
  /** Lines across, such as thresholds. */
  marks: { value: number; text: string }[]
  timeText(at: Date): string
  language: Language
}

const width = 720
const height = 240
const margin = { top: 16, right: 8, bottom: 32, left: 72 }

/** A balance over time, from zero; each value holds until the next. Its figures are in a table. */
export function balanceChart(chart: BalanceChart): Html {
  const { title, points, marks, timeText, language } = chart
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined) return html``
  const highest = Math.max(1, ...points.map(({ balance }) => balance))
  const x = scaleUtc()
    .domain([first.at, last.at])
    .range([margin.left, width - margin.right])
  const y = scaleLinear()
    .domain([Math.min(0, ...points.map(({ balance }) => balance)), highest])
    .nice(4)
    .range([height - margin.bottom, margin.top])
  const line = points.map(({ at, balance }, index) => {
    const [left, top] = [round(x(at)), round(y(balance))]
    return index === 0 ? `M${left} ${top}` : `H${left}V${top}`
  })
  const right = width - margin.right
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
${y.ticks(4).map((tick) => gridLine(tick, y(tick), language))}
${markGroups(
  marks.filter(({ value }) => value <= highest),
  y,
).map(
  ({ tops, texts }) =>
    html`${tops.map((top) => html`<path d="M${margin.left} ${top}H${right}"/>`)}
<text x="${right}" y="${Math.min(...tops) - 4}" text-anchor="end">${texts.join(' · ')}</text>`,
)}
<path class="line" d="${line.join('')}H${right}"/>
<text x="${margin.left}" y="${height - 6}">${timeText(first.at)}</text>
<text x="${right}" y="${height - 6}" text-anchor="end">${timeText(last.at)}</text>
</svg>`
}

// Words of a line below another one would be written over each other; on a phone they are larger.
const textHeight = 30

/** Lines across from the lowest on; those that are too close to each other share one text. */
function markGroups(marks: BalanceChart['marks'], y: (value: number) => number) {
  const groups: { tops: number[]; texts: string[] }[] = []
  for (const { value, text } of marks.toSorted((one, other) => one.value - other.value)) {
    const top = round(y(value))
    const last = groups.at(-1)
    if (last !== undefined && (last.tops.at(-1) ?? 0) - top < textHeight) {
      last.tops.push(top)
      last.texts.push(text)
    } else groups.push({ tops: [top], texts: [text] })
  }
  return groups
}

function gridLine(value: number, place: number, language: Language): Html {
  const y = round(place)
  const text = shortAmount(value, language)
  return html`<line x1="${margin.left}" x2="${width - margin.right}" y1="${y}" y2="${y}"/>
<text x="${margin.left - 8}" y="${round(place + 4)}" text-anchor="end">${text}</text>`
}

const units: [size: number, names: Record<Language, string>][] = [
  [1_000_000_000, { fr: 'Md', en: 'bn' }],
  [1_000_000, { fr: 'M', en: 'M' }],
  [1000, { fr: 'k', en: 'k' }],
]

function shortAmount(value: number, language: Language): string {
  const [size, names] = units.find(([one]) => Math.abs(value) >= one) ?? [1]
  return names === undefined ? String(value) : `${value / size}\u00a0${names[language]}`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

import { scaleLinear, scaleUtc } from 'd3-scale'
import type { Html } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'

interface BalanceChart {
  title: string
  points: { at: Date; balance: number }[]
  /** Lines across, such as thresholds. */
  marks: { value: number; text: string }[]
  timeText(at: Date): string
}

const width = 720
const height = 240
const margin = { top: 16, right: 8, bottom: 32, left: 72 }

/** A balance over time, from zero; each value holds until the next. Its figures are in a table. */
export function balanceChart({ title, points, marks, timeText }: BalanceChart): Html {
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
${y.ticks(4).map((tick) => gridLine(tick, y(tick)))}
${marks
  .filter(({ value }) => value <= highest)
  .map(({ value, text }) => {
    const top = round(y(value))
    return html`<path d="M${margin.left} ${top}H${right}"/>
<text x="${right}" y="${top - 4}" text-anchor="end">${text}</text>`
  })}
<path class="line" d="${line.join('')}H${right}"/>
<text x="${margin.left}" y="${height - 6}">${timeText(first.at)}</text>
<text x="${right}" y="${height - 6}" text-anchor="end">${timeText(last.at)}</text>
</svg>`
}

function gridLine(value: number, place: number): Html {
  const y = round(place)
  return html`<line x1="${margin.left}" x2="${width - margin.right}" y1="${y}" y2="${y}"/>
<text x="${margin.left - 8}" y="${round(place + 4)}" text-anchor="end">${shortAmount(value)}</text>`
}

const units: [number, string][] = [
  [1_000_000_000, 'Md'],
  [1_000_000, 'M'],
  [1000, 'k'],
]

function shortAmount(value: number): string {
  const [size, unit] = units.find(([one]) => Math.abs(value) >= one) ?? [1, '']
  return `${value / size}${unit && ' '}${unit}`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

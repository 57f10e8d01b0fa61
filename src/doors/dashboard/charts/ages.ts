import { scaleBand, scaleLinear } from 'd3-scale'
import { type Html, html } from '#base/kit/html.ts'

interface AgeChart {
  title: string
  /** From the youngest to the oldest: its name, and how many there are. */
  bars: { name: string; count: number }[]
}

// Drawn for the width of a phone: wider screens do not need it larger.
const width = 400
const rowHeight = 32
const margin = { left: 136, right: 40 }

/** How many there are of each age, as lying bars from zero. Its figures are in a table. */
export function ageChart({ title, bars }: AgeChart): Html {
  const height = bars.length * rowHeight
  const y = scaleBand()
    .domain(bars.map(({ name }) => name))
    .range([0, height])
    .padding(0.3)
  const x = scaleLinear()
    .domain([0, Math.max(1, ...bars.map(({ count }) => count))])
    .range([margin.left, width - margin.right])
  return html`<svg class="chart narrow" viewBox="0 0 ${width} ${height}" role="img"
 aria-label="${title}">
${bars.map(({ name, count }) => {
  const top = y(name) ?? 0
  const middle = round(top + y.bandwidth() / 2 + 5)
  const size = html`width="${round(x(count) - margin.left)}" height="${round(y.bandwidth())}"`
  return html`<text class="name" x="${margin.left - 12}" y="${middle}" text-anchor="end">${
    name
  }</text>
<rect class="k0" x="${margin.left}" y="${round(top)}" ${size}/>
<text class="name" x="${round(x(count) + 8)}" y="${middle}">${count}</text>`
})}
</svg>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

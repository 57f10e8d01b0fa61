import { scaleBand, scaleLinear } from 'd3-scale'
import { type SeriesPoint, stack, stackOffsetDiverging } from 'd3-shape'
import { type Html, html } from '#base/kit/html.ts'
import { formatAmount } from '#base/kit/money.ts'

/** A day of a chart: its name, and an amount for each series; what goes out is below zero. */
export interface ChartDay {
  day: string
  amounts: Record<string, number>
}

interface VolumeChart {
  title: string
  days: ChartDay[]
  /** The names of the series, from zero outwards, and the words for them. */
  series: [name: string, word: string][]
  /** A day as people write it, such as 3 nov. */
  dayText(day: string): string
}

const width = 720
const height = 240
const margin = { top: 16, right: 8, bottom: 32, left: 64 }

/**
 * Bars by day, stacked by series from zero, up and down. The figures themselves are in a table
 * beside it, so screen readers need no text of the picture but its title.
 */
export function volumeChart({ title, days, series, dayText }: VolumeChart): Html {
  const names = series.map(([name]) => name)
  const layers = stack<ChartDay, string>()
    .keys(names)
    .value(({ amounts }, name) => amounts[name] ?? 0)
    .offset(stackOffsetDiverging)(days)
  const ends = layers.flat(2)
  const x = scaleBand()
    .domain(days.map(({ day }) => day))
    .range([margin.left, width - margin.right])
    .padding(0.25)
  const y = scaleLinear()
    .domain([Math.min(0, ...ends), Math.max(1, ...ends)])
    .nice(4)
    .range([height - margin.bottom, margin.top])
  const bars = layers.map((layer, index) =>
    layer.filter(([bottom, top]) => top > bottom).map((point) => bar(point, `k${index}`)),
  )
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
${y.ticks(4).map((tick) => gridLine(tick, y(tick)))}
${bars}
${days.filter((_, index) => index % 7 === days.length % 7 || days.length < 10).map(dayLabel)}
</svg>
<p class="legend">${series.map(
    ([, word], index) => html`<span><i class="k${index}"></i>${word}</span>`,
  )}</p>`

  function bar(point: SeriesPoint<ChartDay>, className: string): Html {
    const [bottom, top] = point
    const { day } = point.data
    const place = html`x="${round(x(day) ?? 0)}" y="${round(y(top))}"`
    const size = html`width="${round(x.bandwidth())}" height="${round(y(bottom) - y(top))}"`
    const sign = bottom < 0 ? '\u2212' : ''
    const title = `${dayText(day)} ${sign}${formatAmount(top - bottom)}`
    return html`<rect class="${className}" ${place} ${size}><title>${title}</title></rect>`
  }

  function dayLabel({ day }: ChartDay): Html {
    const middle = round((x(day) ?? 0) + x.bandwidth() / 2)
    const text = dayText(day)
    return html`<text x="${middle}" y="${height - 6}" text-anchor="middle">${text}</text>`
  }
}

function gridLine(value: number, place: number): Html {
  const size = Math.abs(value)
  const short = size >= 1_000_000 ? `${size / 1_000_000} M` : `${size / 1000} k`
  const text = value === 0 ? '0' : `${value < 0 ? '\u2212' : ''}${short}`
  const y = round(place)
  const isZero = value === 0 && html` class="zero"`
  const ends = html`x1="${margin.left}" x2="${width - margin.right}"`
  return html`<line${isZero} ${ends} y1="${y}" y2="${y}"/>
<text x="${margin.left - 8}" y="${round(place + 4)}" text-anchor="end">${text}</text>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

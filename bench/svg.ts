/** A value of one thing in a bar chart, made of parts that stand on each other. */
export interface Bar {
  label: string
  parts: number[]
  /** How far it was from this in other rounds. */
  range?: [low: number, high: number]
}

export interface BarChart {
  title: string
  unit: string
  /** What the parts are; one name less legend. */
  series: string[]
  bars: Bar[]
}

export interface LineChart {
  title: string
  /** What runs along the bottom. */
  across: string
  lines: { name: string; unit: string; points: [x: number, y: number][] }[]
}

const colours = ['#2f6f8f', '#d9822b', '#5a9e5a', '#a05195', '#c44e52', '#8c8c8c']
const width = 760
const left = 150
const right = 90
const rowHeight = 26

/** Bars from left to right, one below the other. */
export function barChart({ title, unit, series, bars }: BarChart): string {
  const top = series.length > 1 ? 70 : 46
  const height = top + bars.length * rowHeight + 16
  const reach = ({ parts, range }: Bar) => Math.max(total(parts), range?.[1] ?? 0)
  const most = Math.max(...bars.map(reach), Number.MIN_VALUE)
  const scale = (value: number) => (value / most) * (width - left - right)
  const rows = bars.map((bar, index) => barRow(bar, top + index * rowHeight, scale, unit))
  const legend = series.length > 1 ? legendOf(series, 46) : ''
  return frame(title, height, legend + rows.join(''))
}

function barRow(bar: Bar, y: number, scale: (value: number) => number, unit: string): string {
  let x = left
  const boxes = bar.parts.map((part, index) => {
    const wide = scale(part)
    const place = `x="${n(x)}" y="${y}" width="${n(wide)}" height="16"`
    const box = `<rect ${place} fill="${colours[index % colours.length]}"/>`
    x += wide
    return box
  })
  const [low, high] = bar.range ?? [0, 0]
  const whisker =
    bar.range === undefined || low === high
      ? ''
      : `<path d="M${n(left + scale(low))} ${y + 8}H${n(left + scale(high))}" stroke="#222"/>`
  const end = Math.max(x, left + scale(high)) + 6
  return (
    text(left - 8, y + 13, bar.label, 'end') +
    boxes.join('') +
    whisker +
    text(end, y + 13, `${short(total(bar.parts))} ${unit}`.trim())
  )
}

const plotHeight = 130

/** Each line in a field of its own, all over the same time. */
export function lineChart({ title, across, lines }: LineChart): string {
  const height = 46 + lines.length * (plotHeight + 34) + 20
  const fields = lines.map((line, index) => {
    const top = 56 + index * (plotHeight + 34)
    const xs = line.points.map(([x]) => x)
    const ys = line.points.map(([, y]) => y)
    const most = Math.max(...ys, Number.MIN_VALUE) * 1.1
    const [first, last] = [Math.min(...xs), Math.max(...xs)]
    const px = (x: number) =>
      left + ((x - first) / Math.max(last - first, Number.MIN_VALUE)) * (width - left - right)
    const py = (y: number) => top + plotHeight - (y / most) * plotHeight
    const path = line.points.map(([x, y]) => `${n(px(x))},${n(py(y))}`).join(' ')
    const colour = colours[index % colours.length]
    return (
      `<path d="M${left} ${top}V${top + plotHeight}H${width - right}" stroke="#999" fill="none"/>` +
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.5"/>` +
      text(left - 8, top + 10, `${short(most)} ${line.unit}`.trim(), 'end') +
      text(left - 8, top + plotHeight, '0', 'end') +
      text(left, top - 5, line.name)
    )
  })
  const bottom = text(width - right, height - 8, across, 'end')
  return frame(title, height, fields.join('') + bottom)
}

function legendOf(series: string[], y: number): string {
  return series
    .map((name, index) => {
      const x = left + index * 100
      const colour = colours[index % colours.length]
      const box = `<rect x="${x}" y="${y - 9}" width="10" height="10" fill="${colour}"/>`
      return box + text(x + 14, y, name)
    })
    .join('')
}

function frame(title: string, height: number, inside: string): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">` +
    `<rect width="100%" height="100%" fill="#fff"/>` +
    `<text x="16" y="24" font-size="15" font-weight="bold">${escape(title)}</text>` +
    `${inside}</svg>\n`
  )
}

function text(x: number, y: number, words: string, anchor = 'start'): string {
  return `<text x="${n(x)}" y="${n(y)}" text-anchor="${anchor}">${escape(words)}</text>`
}

function escape(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function total(parts: number[]): number {
  return parts.reduce((sum, part) => sum + part, 0)
}

/** Three digits that matter, or all of a large number. */
function short(value: number): string {
  if (value >= 1000) return String(Math.round(value))
  return String(Number(value.toPrecision(3)))
}

function n(value: number): string {
  return String(Math.round(value * 10) / 10)
}

import { readFile, writeFile } from 'node:fs/promises'
import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import type { Recovery } from './killer.ts'

// npm run chaos plot RESULT.json FILE.svg: draws a run: what was acknowledged each second,
// when what was killed, and how long each took to be ready again.

interface Result {
  name: string
  startedAt: string
  loads: { perSecond: { atMs: number; acknowledged: number }[] }[]
  recoveries: Recovery[]
}

const [width, height, left, right] = [860, 420, 60, 20]
const panels = { rate: [40, 210], ready: [260, 380] } as const
const colours: Record<string, string> = { gateway: '#2a6fb5', postgres: '#c0392b' }
const otherColour = '#6b4fa0'
const windowSeconds = 5

const [resultPath = '', svgPath = ''] = process.argv.slice(2)
const result = JSON.parse(await readFile(resultPath, 'utf8')) as Result
await writeFile(svgPath, draw(result))

function draw({ name, startedAt, loads, recoveries }: Result): string {
  const rates = ratesOf(loads.flatMap(({ perSecond }) => perSecond))
  const fromMs = rates[0]?.atMs ?? 0
  const seconds = Math.max(1, ...rates.map(({ atMs }) => (atMs - fromMs) / 1000))
  const x = scaleLinear([0, seconds], [left, width - right]).nice()
  const xOf = (atMs: number) => x((atMs - fromMs) / 1000)
  const rateMax = Math.max(1, ...rates.map(({ rate }) => rate))
  const yRate = scaleLinear([0, rateMax], [panels.rate[1], panels.rate[0]]).nice()
  const readyMax = Math.max(2000, ...recoveries.map(({ readyMs }) => readyMs))
  const yReady = scaleLinear([0, readyMax], [panels.ready[1], panels.ready[0]]).nice()
  const shape = area<{ atMs: number; rate: number }>()
    .x(({ atMs }) => xOf(atMs))
    .y0(panels.rate[1])
    .y1(({ rate }) => yRate(rate))
  const outline = line<{ atMs: number; rate: number }>()
    .x(({ atMs }) => xOf(atMs))
    .y(({ rate }) => yRate(rate))
  const marks = recoveries.map(({ what, atMs, readyMs }) => {
    const colour = colours[what] ?? otherColour
    const at = xOf(atMs).toFixed(1)
    return (
      `<path d="M${at} ${panels.rate[0]}V${panels.rate[1]}" stroke="${colour}" opacity=".35"/>` +
      `<circle cx="${at}" cy="${yReady(readyMs).toFixed(1)}" r="2.5" fill="${colour}"/>`
    )
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"`,
    ' font-family="system-ui, sans-serif" font-size="12" role="img">',
    `<title>${name}: payments a second and times to be ready again</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    label(
      left,
      24,
      `${name}, ${startedAt.slice(0, 16).replace('T', ' ')} UTC: acknowledged a second`,
    ),
    axis(yRate.ticks(4), yRate, (value) => String(value)),
    `<path d="${shape(rates) ?? ''}" fill="#2e8b57" opacity=".25"/>`,
    `<path d="${outline(rates) ?? ''}" fill="none" stroke="#2e8b57"/>`,
    label(left, 250, 'ready again after (s): blue gateway, red PostgreSQL, violet other'),
    axis(yReady.ticks(4), yReady, (value) => String(value / 1000)),
    ...marks,
    ...x.ticks(10).map((value) => label(x(value), 400, `${value} s`, 'middle')),
    '</svg>\n',
  ].join('\n')
}

/** Payments a second, over windows of five seconds. */
function ratesOf(samples: { atMs: number; acknowledged: number }[]) {
  const rates: { atMs: number; rate: number }[] = []
  for (let at = 0; at + windowSeconds < samples.length; at += 1) {
    const [first, last] = [samples[at], samples[at + windowSeconds]]
    if (first === undefined || last === undefined || last.atMs <= first.atMs) continue
    const rate = (1000 * (last.acknowledged - first.acknowledged)) / (last.atMs - first.atMs)
    rates.push({ atMs: last.atMs, rate: Math.max(0, rate) })
  }
  return rates
}

function axis(ticks: number[], y: (value: number) => number, text: (value: number) => string) {
  return ticks
    .map((value) => {
      const at = y(value).toFixed(1)
      const rule = `<path d="M${left} ${at}H${width - right}" stroke="#ddd"/>`
      return rule + label(left - 6, y(value) + 4, text(value), 'end')
    })
    .join('')
}

function label(x: number, y: number, text: string, anchor = 'start'): string {
  const place = `x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"`
  return `<text ${place} fill="#333">${text}</text>`
}

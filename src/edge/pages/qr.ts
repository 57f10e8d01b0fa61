import { encode } from 'uqr'
import { type Html, html } from '#base/kit/html.ts'

// A longer text makes modules too small for cheap cameras, and the page too large.
const charactersMax = 300

/** A QR code as one SVG path; undefined if the text is too long. */
export function drawQr(text: string): Html | undefined {
  if (text.length > charactersMax) return undefined
  const { data, size } = encode(text, { ecc: 'L', border: 2 })
  const path = data.map((cells, y) => drawRow(cells, y)).join('')
  return html`<svg viewBox="0 0 ${size} ${size}" aria-hidden="true" shape-rendering="crispEdges">
<path d="${path}"/></svg>`
}

/** Draws each run of dark modules in a row as one rectangle. */
function drawRow(cells: boolean[], y: number): string {
  let path = ''
  for (let x = 0; x < cells.length; x += 1) {
    if (cells[x] !== true) continue
    const start = x
    while (cells[x + 1] === true) x += 1
    path += `M${start} ${y}h${x - start + 1}v1h-${x - start + 1}z`
  }
  return path
}

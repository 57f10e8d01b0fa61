import { inflateSync } from 'node:zlib'

/** The texts of each page of a PDF of ours, in the order in which they are drawn. */
export function pagesOf(pdf: Buffer): string[][] {
  const streams = streamsOf(pdf)
  // Fonts are finished in the order in which they were first used: F1, F2.
  const letters = streams.filter((one) => one.includes('begincmap')).map(lettersOf)
  return streams
    .filter((one) => one.includes('/Late Do'))
    .map((page) => drawnTexts(page, letters).map(({ text }) => text))
}

/** What every page shows, which is drawn in the end. */
export function lateTexts(pdf: Buffer): string[] {
  const streams = streamsOf(pdf)
  const letters = streams.filter((one) => one.includes('begincmap')).map(lettersOf)
  const late = streams.findLast((one) => one.includes(' TJ') && !one.includes('/Late Do')) ?? ''
  return drawnTexts(late, letters).map(({ text }) => text)
}

/** Where the texts of the first page begin. */
export function placesOf(pdf: Buffer): { text: string; x: number; y: number }[] {
  const streams = streamsOf(pdf)
  const letters = streams.filter((one) => one.includes('begincmap')).map(lettersOf)
  return drawnTexts(streams.find((one) => one.includes('/Late Do')) ?? '', letters)
}

function streamsOf(pdf: Buffer): string[] {
  const text = pdf.toString('latin1')
  return [...text.matchAll(/(?<!end)stream\n/g)].flatMap((match) => {
    try {
      const start = match.index + match[0].length
      return [inflateSync(pdf.subarray(start)).toString('latin1')]
    } catch {
      return []
    }
  })
}

type Letters = Map<string, string>

function lettersOf(map: string): Letters {
  const found: Letters = new Map()
  for (const [, first = '', list = ''] of map.matchAll(/<(\w{4})> <\w{4}> \[([^\]]*)\]/g))
    [...list.matchAll(/<([\w ]*)>/g)].forEach(([, hex = ''], index) => {
      const glyph = (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0')
      const utf16 = Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16()
      found.set(glyph, utf16.toString('utf16le'))
    })
  return found
}

function drawnTexts(page: string, fonts: Letters[]) {
  const drawing = /([\d.-]+) ([\d.-]+) Tm\n\/F(\d) [\d.]+ Tf\n\[([^\]]*)\] TJ/g
  return [...page.matchAll(drawing)].map(([, x, y, font, hex = '']) => {
    const glyphs = [...hex.matchAll(/<(\w+)>/g)].map(([, one]) => one).join('')
    const letters = fonts[Number(font) - 1]
    const text = (glyphs.match(/.{4}/g) ?? []).map((one) => letters?.get(one) ?? '').join('')
    return { text, x: Number(x), y: Number(y) }
  })
}

import { fileURLToPath } from 'node:url'
import Document from 'pdfkit'

// Noto Sans has the letters of every language of West Africa that is written with Latin ones.
const fonts = {
  regular: import.meta.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'),
  bold: import.meta.resolve('@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf'),
}

/** A4, in points. */
export const page = { width: 595.28, height: 841.89 }

interface TextStyle {
  size: number
  weight?: keyof typeof fonts
  colour?: string
}

/** Where a text stands; it is cut where it needs more lines. */
interface Place {
  left: number
  top: number
  width: number
  isRight?: boolean
  lines?: number
}

/** What the types of the library leave out. */
interface Untyped {
  _font: LibraryFont
  page: { resources: unknown; write(chunk: string): unknown }
}

interface LibraryFont {
  scale: number
  font: {
    hasGlyphForCodePoint(code: number): boolean
    glyphForCodePoint(code: number): { advanceWidth: number }
  }
  layout: Layout
}

type Layout = (text: string) => { glyphs: object[]; positions: object[]; advanceWidth: number }

interface Late {
  data: object
  write(chunk: string): unknown
  end(): void
}

/** Sheets of paper, and what is drawn on the last one. */
export class Paper {
  readonly #doc: PDFKit.PDFDocument
  /** Drawn on every page: what is known only in the end, such as how many there are. */
  readonly #late: Late
  readonly #known = new Set<LibraryFont>()

  constructor({ title, author, language }: Record<'title' | 'author' | 'language', string>) {
    const { width, height } = page
    this.#doc = new Document({
      autoFirstPage: false,
      size: [width, height],
      // What is drawn says where, so that nothing goes on to another page by itself.
      margin: 0,
      lang: language,
      displayTitle: true,
      info: { Title: title, Author: author },
      font: fileURLToPath(fonts.regular),
      // It would keep every word that is ever drawn.
      fontLayoutCache: false,
    })
    const form = { Type: 'XObject', Subtype: 'Form', BBox: [0, 0, width, height] }
    this.#late = this.#doc.ref(form) as unknown as Late
  }

  /** What has been drawn on whole pages; null: nothing since the last time. */
  take(): Uint8Array | null {
    return this.#doc.read() as Uint8Array | null
  }

  addPage(): void {
    this.#doc.addPage()
    this.#doc.page.xobjects.Late = this.#late
    this.#doc.addContent('/Late Do')
  }

  /** Ends the file and returns what is left of it; what `draw` draws is on every page. */
  end(draw: () => void): AsyncIterable<Buffer> {
    const doc = this.#doc as unknown as Untyped
    const { page: last } = doc
    // The library draws on what it takes for the page.
    doc.page = Object.assign(Object.create(last) as typeof last, {
      write: (chunk: string) => this.#late.write(chunk),
    })
    draw()
    doc.page = last
    Object.assign(this.#late.data, { Resources: last.resources })
    this.#late.end()
    this.#doc.end()
    return this.#doc
  }

  /** How wide a text is on one line. */
  widthOf(text: string, style: TextStyle): number {
    this.#styled(style)
    return this.#measure(text, style.size)
  }

  /** Draws a text, and returns where it ends. */
  text(text: string, { left, top, width, isRight = false, lines = 1 }: Place, style: TextStyle) {
    const doc = this.#styled(style).fillColor(style.colour ?? '#1c1f1d')
    const drawn = this.#drawable(text)
    if (lines > 1 && drawn !== '') {
      doc.text(drawn, left, top, { width, height: lines * style.size * 1.4, ellipsis: true })
      return doc.y
    }
    const shown = cut(drawn, width, (one) => this.#measure(one, style.size))
    const textWidth = this.#measure(shown, style.size)
    const x = isRight ? left + width - textWidth : left
    if (shown !== '') doc.text(shown, x, top, { lineBreak: false })
    return top + style.size * 1.4
  }

  rule(left: number, top: number, width: number, colour: string): void {
    const end = left + width
    this.#doc.moveTo(left, top).lineTo(end, top).lineWidth(0.4).stroke(colour)
  }

  band(left: number, top: number, [width, height]: [number, number], colour: string): void {
    this.#doc.rect(left, top, width, height).fill(colour)
  }

  /** A PNG or JPEG that can be drawn, not larger than `fit`. */
  picture(bytes: Uint8Array, left: number, top: number, fit: [number, number]): void {
    this.#doc.image(Buffer.from(bytes), left, top, { fit })
  }

  #font(): LibraryFont {
    // oxlint-disable-next-line no-underscore-dangle -- the library tells it nowhere else
    const font = (this.#doc as unknown as Untyped)._font
    if (!this.#known.has(font)) font.layout = plainLayout(font)
    this.#known.add(font)
    return font
  }

  /** How wide a text is, in the chosen font. */
  #measure(text: string, size: number): number {
    return (this.#font().layout(text).advanceWidth * size) / 1000
  }

  #styled({ size, weight = 'regular' }: TextStyle): PDFKit.PDFDocument {
    return this.#doc.font(fileURLToPath(fonts[weight])).fontSize(size)
  }

  /** Without what has no width, turns the direction, or is not in the font. */
  #drawable(text: string): string {
    const { font } = this.#font()
    const line = text
      .slice(0, lettersMax)
      .toWellFormed()
      .normalize('NFC')
      .replaceAll(/[\p{Bidi_Control}\p{Cf}]/gu, '')
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    return Array.from(line, (one) =>
      font.hasGlyphForCodePoint(one.codePointAt(0) ?? 0) ? one : '?',
    ).join('')
  }
}

/**
 * Whether the library can draw a picture, in a thread that does nothing else meanwhile: what is
 * wrong with its pixels is thrown where nobody can catch it.
 */
export async function canDraw(bytes: Uint8Array): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const refuse = () => resolve(false)
  process.once('uncaughtException', refuse)
  try {
    const trial = new Document({ font: fileURLToPath(fonts.regular) })
    trial.image(Buffer.from(bytes), 0, 0).on('end', () => resolve(true))
    trial.resume().end()
    return await promise
  } catch {
    return false
  } finally {
    process.removeListener('uncaughtException', refuse)
  }
}

/**
 * Letters one beside the other, each looked up once: what the library does for scripts of all kinds
 * takes twenty times as long, and only marks on letters need it.
 */
function plainLayout(own: LibraryFont): Layout {
  const letters = new Map<string, { glyph: object; position: { advanceWidth: number } }>()
  const whole = own.layout.bind(own)
  const letterOf = (letter: string) => {
    const glyph = own.font.glyphForCodePoint(letter.codePointAt(0) ?? 0)
    const advanceWidth = glyph.advanceWidth * own.scale
    const position = { xAdvance: advanceWidth, yAdvance: 0, xOffset: 0, yOffset: 0, advanceWidth }
    return { glyph, position }
  }
  return (text) => {
    if (/\p{M}/u.test(text)) return whole(text)
    const found = Array.from(text, (letter) => {
      const known = letters.get(letter) ?? letterOf(letter)
      letters.set(letter, known)
      return known
    })
    return {
      glyphs: found.map(({ glyph }) => glyph),
      positions: found.map(({ position }) => position),
      advanceWidth: found.reduce((sum, { position }) => sum + position.advanceWidth, 0),
    }
  }
}

// More than any line has.
const lettersMax = 400

/** As much of a text as fits, with an ellipsis where some of it is missing. */
function cut(text: string, width: number, widthOf: (text: string) => number): string {
  if (widthOf(text) <= width) return text
  const room = width - widthOf('…')
  let [shown, used] = ['', 0]
  for (const letter of text) {
    used += widthOf(letter)
    if (used > room) break
    shown += letter
  }
  return `${shown.trimEnd()}…`
}

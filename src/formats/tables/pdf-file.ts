import { deflateSync } from 'node:zlib'

/** The size of a page in points: A4. */
export const pageSize = { width: 595, height: 842 }

// The objects that every file has; pages follow.
const catalog = 1
const pages = 2
const regularFont = 3
const boldFont = 4
const pageCount = 5
const information = 6
const firstPage = 7
// Of the table at the end: some thousand in a millisecond.
const placesAtOnce = 5000

/** Numbers the objects of a PDF file and remembers where each begins. */
export class PdfFile {
  readonly #offsets: number[] = []
  #bytes = 0
  #pages = 0

  /** The beginning of the file. `language`: fr or en. */
  begin(title: string, language: string): Buffer {
    // Bytes above 127 in the second line tell programs that the file is not text.
    const start = this.#count(Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1'))
    return Buffer.concat([
      start,
      this.#object(catalog, `<< /Type /Catalog /Pages ${pages} 0 R /Lang (${language}) >>`),
      this.#object(regularFont, font('Helvetica')),
      this.#object(boldFont, font('Helvetica-Bold')),
      this.#object(information, `<< /Title ${hexText(title)} >>`),
    ])
  }

  /** A page with this content. */
  page(content: Buffer): Buffer {
    const number = firstPage + this.#pages * 2
    this.#pages += 1
    const resources =
      `<< /Font << /R ${regularFont} 0 R /B ${boldFont} 0 R >>` +
      ` /XObject << /Count ${pageCount} 0 R >> >>`
    const page =
      `<< /Type /Page /Parent ${pages} 0 R /MediaBox [0 0 ${pageSize.width} ${pageSize.height}]` +
      ` /Resources ${resources} /Contents ${number + 1} 0 R >>`
    return Buffer.concat([this.#object(number, page), this.#stream(number + 1, '', content)])
  }

  /**
   * The end of the file, in pieces; `content` draws the number of pages, which is known only now.
   */
  *end(content: (pages: number) => Buffer): Generator<Buffer> {
    const numbers = Array.from({ length: this.#pages }, (_, page) => firstPage + page * 2)
    const kids = numbers.map((number) => `${number} 0 R`).join(' ')
    const form =
      `/Type /XObject /Subtype /Form /BBox [0 0 100 20]` +
      ` /Resources << /Font << /R ${regularFont} 0 R >> >>`
    yield this.#object(pages, `<< /Type /Pages /Count ${this.#pages} /Kids [${kids}] >>`)
    yield this.#stream(pageCount, form, content(this.#pages))
    const size = firstPage + this.#pages * 2
    yield Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n`)
    for (let first = 1; first < size; first += placesAtOnce) {
      const places = this.#offsets
        .slice(first, first + placesAtOnce)
        .map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
      yield Buffer.from(places.join(''))
    }
    const trailer = `<< /Size ${size} /Root ${catalog} 0 R /Info ${information} 0 R >>`
    yield Buffer.from(`trailer\n${trailer}\nstartxref\n${this.#bytes}\n%%EOF\n`)
  }

  #object(number: number, body: string | Buffer): Buffer {
    this.#offsets[number] = this.#bytes
    return this.#count(
      Buffer.concat([
        Buffer.from(`${number} 0 obj\n`),
        Buffer.from(body as string),
        Buffer.from('\nendobj\n'),
      ]),
    )
  }

  #stream(number: number, entries: string, content: Buffer): Buffer {
    const packed = deflateSync(content)
    const head = `<< ${entries} /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`
    return this.#object(
      number,
      Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream')]),
    )
  }

  #count(bytes: Buffer): Buffer {
    this.#bytes += bytes.length
    return bytes
  }
}

function font(name: string): string {
  return `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`
}

/** A text of any letters, for the properties of the file. */
function hexText(text: string): string {
  const utf16 = Buffer.from(`\ufeff${text.toWellFormed()}`, 'utf16le').swap16()
  return `<${utf16.toString('hex')}>`
}

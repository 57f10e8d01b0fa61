/** Text that may stand in a page as it is; made only by `html` and `raw`. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/** What can stand in a template: nothing stands for what is absent. */
export type Piece = Html | string | number | null | undefined | false | Piece[]

/** A template whose every value is escaped, so that no text of anybody's becomes markup. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(
    strings.map((text, index) => (index === 0 ? text : write(pieces[index - 1]) + text)).join(''),
  )
}

/** Our own markup, styles and scripts: never for anything that came from outside. */
export function raw(text: string): Html {
  return new Html(text)
}

function write(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return ''
  if (Array.isArray(piece)) return piece.map(write).join('')
  return piece instanceof Html ? piece.text : escape(String(piece))
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Good in text and in quoted attributes alike. */
function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

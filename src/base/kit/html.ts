/** Markup that needs no escaping; only `html` and `raw` create it. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/** A value in a template; null, undefined and false are left out. */
export type Piece = Html | string | number | null | undefined | false | Piece[]

/** A template that escapes every value, so that no text becomes markup (XSS). */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  let text = strings[0] ?? ''
  for (let index = 0; index < pieces.length; index += 1)
    text += write(pieces[index]) + (strings[index + 1] ?? '')
  return new Html(text)
}

/** Marks our own markup, styles and scripts as safe; never use it for input. */
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

const special = /[&<>"']/

/** For text and for quoted attributes. */
function escape(text: string): string {
  // Most texts have none: looking first takes a third of the time.
  if (!special.test(text)) return text
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

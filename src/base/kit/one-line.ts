// Control characters, Unicode line and paragraph separators, and marks that change the direction.
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

/**
 * Makes untrusted text fit on one line: characters that end the line or change its direction become
 * spaces, and a text that is too long is cut and ends in an ellipsis.
 */
export function oneLine(text: string, lengthMax: number): string {
  const line = text.toWellFormed().replaceAll(unsafe, ' ').trim()
  // Code points, not UTF-16 units: a cut must not leave half a surrogate pair.
  const characters = Array.from(line)
  if (characters.length <= lengthMax) return line
  const start = characters.slice(0, lengthMax - 1).join('')
  return `${start.trimEnd()}…`
}

/** Whether a text has characters that end a line or change its direction. */
export function breaksLine(text: string): boolean {
  return text.search(unsafe) !== -1
}

// Control characters, line ends that are none, and what turns the direction of the text after it.
const breaking = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

/**
 * Somebody else's text where only one line of it may stand: whatever would end or turn the line
 * becomes a space, and what is too long ends in an ellipsis.
 */
export function oneLine(text: string, lengthMax: number): string {
  const line = text.toWellFormed().replaceAll(breaking, ' ').trim()
  // Counted in characters: half a one would be left over otherwise.
  const characters = Array.from(line)
  if (characters.length <= lengthMax) return line
  const start = characters.slice(0, lengthMax - 1).join('')
  return `${start.trimEnd()}…`
}

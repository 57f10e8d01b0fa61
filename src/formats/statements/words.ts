/**
 * A text as words and titles are compared: without accents, capitals, and spaces at its ends or
 * more than one within.
 */
export function folded(text: string): string {
  // Most texts of a file are plain already, and this runs for several cells of each line.
  const plain = /^[\x20-\x7e]*$/.test(text) ? text : text.normalize('NFKD').replaceAll(marks, '')
  return plain.toLowerCase().replaceAll(/\s+/g, ' ').trim()
}

const marks = /\p{M}/gu

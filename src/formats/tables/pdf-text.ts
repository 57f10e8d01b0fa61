import { TextDecoder } from 'node:util'

/*
 * Text in the fonts that every PDF program has: Helvetica, in the encoding of Western Windows. It
 * has all of French. The letters of West African languages beyond it are shown as the Latin letter
 * they come from, other letters without their accents, and what is left as a question mark.
 */

export type PdfFont = 'regular' | 'bold'

// Thousandths of the font size, for the characters from 32 to 255.
const widths: Record<PdfFont, Uint16Array> = {
  regular: widthsOf(`
    278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556*10 278 278 584 584 584
    556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722
    667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222
    833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584 350 556 350 222 556
    333 1000 556 556 333 1000 667 333 1000 350 611 350 350 222 222 333 333 350 556 1000 333 1000
    500 333 944 350 500 667 278 333 556 556 556 556 260 556 333 737 370 556 584 333 737 333 400
    584 333 333 333 556 537 278 333 333 365 556 834 834 834 611 667*6 1000 722 667*4 278*4 722
    722 778*5 584 778 722*4 667 667 611 556*6 889 500 556*4 278*4 556*7 584 611 556*4 500 556
    500`),
  bold: widthsOf(`
    278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556*10 333 333 584 584 584
    611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722
    667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278
    889 611 611 611 611 389 556 333 611 556 778 556 556 500 389 280 389 584 350 556 350 278 556
    500 1000 556 556 333 1000 667 333 1000 350 611 350 350 278 278 500 500 350 556 1000 333 1000
    556 333 944 350 500 667 278 333 556 556 556 556 280 556 333 737 370 556 584 333 737 333 400
    584 333 333 333 611 556 278 333 333 365 556 834 834 834 611 722*6 1000 722 667*4 278*4 722
    722 778*5 584 778 722*4 667 667 611 556*6 889 556 556*4 278*4 611*7 584 611*5 556 611 556`),
}

function widthsOf(list: string): Uint16Array {
  const numbers = list.trim().split(/\s+/)
  return Uint16Array.from(
    numbers.flatMap((one) => {
      const [width, times = 1] = one.split('*').map(Number)
      return Array.from({ length: times }, () => width ?? 0)
    }),
  )
}

const byteOf = new Map(
  Array.from(
    new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 224 }, (_, at) => at + 32)),
    (character, at): [string, number] => [character, at + 32],
  ).filter(([character]) => !/\p{Cc}/u.test(character)),
)

// The letter beyond the encoding, and the one it is shown as.
const likeLetters = new Map(
  (
    'ƁB ɓb ƊD ɗd ƐE ɛe ƔG ɣg ƘK ƙk ŊN ŋn ƝN ɲn ƆO ɔo ƲV ʋv ƳY ƴy ıi łl ŁL −- \u2011- ' +
    '\u202f\u00a0 \u2009\u00a0'
  )
    .split(' ')
    .map(([from = '', to = '']): [string, string] => [from, to]),
)

/** The bytes of a text, one for each character that can be shown. */
export function encodePdfText(text: string): Buffer {
  const bytes: number[] = []
  // Without marks that change the direction, and characters that have no width.
  const shown = text.normalize('NFC').replaceAll(/[\p{Bidi_Control}\p{Cf}]/gu, '')
  for (const character of shown) bytes.push(...bytesFor(character))
  return Buffer.from(bytes)
}

const space = 32
const questionMark = 63

function bytesFor(character: string): number[] {
  const known = byteOf.get(character) ?? byteOf.get(likeLetters.get(character) ?? '')
  if (known !== undefined) return [known]
  if (/[\p{Cc}\p{Z}]/u.test(character)) return [space]
  // A letter without its accents.
  const base = character.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  const simpler = Array.from(
    base,
    (one) => byteOf.get(one) ?? byteOf.get(likeLetters.get(one) ?? ''),
  )
  return simpler.length > 0 && simpler.every((byte) => byte !== undefined)
    ? simpler
    : /\p{M}/u.test(character)
      ? []
      : [questionMark]
}

/** How wide a text is, in points. */
export function textWidth(bytes: Buffer, font: PdfFont, size: number): number {
  let sum = 0
  for (const byte of bytes) sum += widths[font][byte - space] ?? 0
  return (sum * size) / 1000
}

const ellipsis = 0x85

/** Breaks a text into lines of a width, at spaces where it can; the last one may be cut. */
export function breakLines(
  text: string,
  { font, size, width, linesMax }: { font: PdfFont; size: number; width: number; linesMax: number },
): Buffer[] {
  const lines: Buffer[] = []
  let rest = encodePdfText(text)
  while (lines.length < linesMax - 1 && textWidth(rest, font, size) > width) {
    const fitting = fittingBytes(rest, font, size, width)
    const lastSpace = rest.subarray(0, fitting + 1).lastIndexOf(space)
    const end = lastSpace > 0 ? lastSpace : fitting
    lines.push(rest.subarray(0, end))
    rest = rest.subarray(lastSpace > 0 ? end + 1 : end)
  }
  if (textWidth(rest, font, size) > width) {
    const room = width - textWidth(Buffer.from([ellipsis]), font, size)
    rest = Buffer.concat([
      rest.subarray(0, fittingBytes(rest, font, size, room)),
      Buffer.from([ellipsis]),
    ])
  }
  return [...lines, rest]
}

/** How many of the first bytes fit into a width; at least one, so that every line gets on. */
function fittingBytes(bytes: Buffer, font: PdfFont, size: number, width: number): number {
  let count = 0
  let sum = 0
  while (count < bytes.length) {
    sum += ((widths[font][(bytes[count] ?? space) - space] ?? 0) * size) / 1000
    if (sum > width) break
    count += 1
  }
  return Math.max(1, count)
}

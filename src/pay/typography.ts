/**
 * French as printers set it: apostrophes, and spaces that do not break before : ; ! ? and inside
 * « ». Only our own texts are touched, never what is put between them.
 */
export function fr(strings: TemplateStringsArray, ...values: (string | number)[]): string {
  return strings
    .map((text, index) => (index === 0 ? '' : String(values[index - 1])) + typeset(text))
    .join('')
}

/** English with its apostrophes. */
export function en(strings: TemplateStringsArray, ...values: (string | number)[]): string {
  return strings
    .map((text, index) => (index === 0 ? '' : String(values[index - 1])) + curl(text))
    .join('')
}

function typeset(text: string): string {
  return curl(text)
    .replaceAll(/ (?=[;!?])/g, '\u202f')
    .replaceAll(/ (?=[:»])|(?<=«) /g, '\u00a0')
}

/** Sentences longer than a line of source are written on several. */
function curl(text: string): string {
  return text.replaceAll("'", '’').replaceAll(/\s*\n\s*/g, ' ')
}

/** Whether PostgreSQL can store a text: it accepts neither NUL nor half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** The text without NUL, with U+FFFD for every half of a surrogate pair. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}

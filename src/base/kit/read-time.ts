const day = String.raw`\d{4}-\d\d-\d\d`
const dayPattern = new RegExp(`^${day}$`)
const timePattern = new RegExp(String.raw`^${day}T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$`)

/**
 * Reads a day, 2026-11-16, as its midnight GMT, or a time with its zone, 2026-11-16T08:30:00Z;
 * undefined: a text is neither, or none that exists.
 */
export function readTime(text: string): Date | undefined {
  if (!dayPattern.test(text) && !timePattern.test(text)) return undefined
  const time = new Date(text)
  return isRealDay(text.slice(0, 10)) && !Number.isNaN(time.getTime()) ? time : undefined
}

/** Whether a text is a day, without a time. */
export function isWholeDay(text: string): boolean {
  return dayPattern.test(text) && isRealDay(text)
}

/** Date would read 30 February as 2 March; there was no year 0. */
function isRealDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() === 0) return false
  return date.toISOString().startsWith(text)
}

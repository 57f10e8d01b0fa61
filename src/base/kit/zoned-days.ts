import { isWholeDay } from './read-time.ts'

/** Whether a text is a day of this millennium that exists, such as 2026-11-16. */
export function isDay(text: string): boolean {
  // Nothing is older.
  return text.startsWith('2') && isWholeDay(text)
}

/** Whether a text is a day and a time without a zone, 2026-11-16T08:30, as a form's field sends. */
export function isDayAndTime(text: string): boolean {
  return /T([01]\d|2[0-3]):[0-5]\d$/.test(text) && text.length === 16 && isDay(text.slice(0, 10))
}

/** When a day begins in a zone, such as Africa/Douala. */
export function startOfDay(day: string, zone: string): Date {
  return momentAt(`${day}T00:00`, zone)
}

/** When the clocks of a zone show a day and a time, such as 2026-11-16T10:30. */
export function momentAt(dayAndTime: string, zone: string): Date {
  const shown = new Date(`${dayAndTime}:00Z`).getTime()
  // Twice: the offset at the first guess may be that of the day before a change of clocks.
  const guess = shown - offsetMs(shown, zone)
  return new Date(shown - offsetMs(guess, zone))
}

/** What the clocks of a zone show, as `momentAt` reads it. */
export function dayAndTimeOf(moment: Date, zone: string): string {
  return wallClock(zone).format(moment).slice(0, 16).replace(' ', 'T')
}

/** When the day after begins. */
export function endOfDay(day: string, zone: string): Date {
  const next = new Date(`${day}T00:00:00Z`)
  next.setUTCDate(next.getUTCDate() + 1)
  return startOfDay(next.toISOString().slice(0, 10), zone)
}

/** The day of a moment in a zone. */
export function dayOf(moment: Date, zone: string): string {
  return wallClock(zone).format(moment).slice(0, 10)
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Writes 2026-11-16 10:30:00, as the clocks of a zone show it. */
function wallClock(zone: string): Intl.DateTimeFormat {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  formats.set(zone, format)
  return format
}

/** How far the clocks of a zone are ahead of UTC. */
function offsetMs(time: number, zone: string): number {
  const seconds = Math.floor(time / 1000) * 1000
  const shown = wallClock(zone).format(seconds)
  return new Date(`${shown.replace(' ', 'T')}Z`).getTime() - seconds
}

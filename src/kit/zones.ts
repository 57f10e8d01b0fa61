/** The moment at which a day (YYYY-MM-DD) begins in a time zone. */
export function startOfDay(day: string, zone: string): Date {
  const midnightUtc = Date.parse(`${day}T00:00:00Z`)
  const guess = midnightUtc - offsetMs(zone, midnightUtc)
  // Where the clocks change on that day, the offset at the guess is the right one.
  return new Date(midnightUtc - offsetMs(zone, guess))
}

/** The day of a moment in a time zone: YYYY-MM-DD. */
export function dayOf(moment: Date, zone: string): string {
  return wallClock(zone).format(moment).slice(0, 10)
}

/** The day that is so many days later. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10)
}

/** Whether a text is a day that exists: no 30 February. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const clocks = new Map<string, Intl.DateTimeFormat>()

function wallClock(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone)
  if (known !== undefined) return known
  // Swedish writes 2026-11-16 10:30:00.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  clocks.set(zone, format)
  return format
}

/** How far the clocks of a zone are ahead of UTC at a time. */
function offsetMs(zone: string, time: number): number {
  const shown = wallClock(zone).format(new Date(time))
  return Date.parse(`${shown.replace(' ', 'T')}Z`) - Math.floor(time / 1000) * 1000
}

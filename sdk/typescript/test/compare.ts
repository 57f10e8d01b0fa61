/** What is not as expected, as a sentence; null when all is. Objects may have more. */
export function difference(actual: unknown, wanted: unknown, at = 'it'): string | null {
  if (wanted === undefined || wanted === '$any')
    return wanted === '$any' && isAbsent(actual) ? `${at} is missing` : null
  if (wanted === '$absent') return isAbsent(actual) ? null : `${at} is ${show(actual)}`
  if (wanted === '$text')
    return typeof actual === 'string' && actual !== '' ? null : `${at} is ${show(actual)}, no text`
  if (wanted === '$whole') return Number.isInteger(actual) ? null : `${at} is ${show(actual)}`
  if (typeof wanted !== 'object' || wanted === null)
    return actual === wanted ? null : `${at} is ${show(actual)} instead of ${show(wanted)}`
  if (typeof actual !== 'object' || actual === null) return `${at} is ${show(actual)}`
  if (Array.isArray(wanted) && (actual as unknown[]).length !== wanted.length)
    return `${at} has ${(actual as unknown[]).length} items instead of ${wanted.length}`
  const problems = Object.entries(wanted).map(([name, one]) =>
    difference((actual as Record<string, unknown>)[name], one, `${at}.${name}`),
  )
  return problems.find((problem) => problem !== null) ?? null
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined'
}

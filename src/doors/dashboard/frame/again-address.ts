import type { Guest } from './visit.ts'

// What nobody may find in an address, and what belongs to one sending of a form.
const isKept = (name: string) => !/pass|secret|code|token|^confirm-|^language$/i.test(name)
const lengthMax = 2000

/**
 * The address that shows this page again. An answer to a form is shown by the form's page, which
 * takes what was typed from its address, or by the nearest page above it.
 */
export function againAddress({ request, path, query }: Guest): string {
  if (request.method !== 'POST') return request.originalUrl
  const { server, body, routeOptions } = request
  let url = routeOptions.url ?? ''
  let shown = path
  while (url !== '' && !server.hasRoute({ method: 'GET', url })) {
    url = url.replace(/\/[^/]*$/, '')
    shown = shown.replace(/\/[^/]*$/, '')
  }
  if (shown !== path) return shown || '/dashboard'
  const typed = Object.entries({ ...query, ...(body as Record<string, unknown> | undefined) })
  const kept = typed.filter((pair): pair is [string, string] => {
    const [name, value] = pair
    return typeof value === 'string' && value !== '' && isKept(name)
  })
  const search = new URLSearchParams(kept).toString()
  return search === '' || search.length > lengthMax ? path : `${path}?${search}`
}

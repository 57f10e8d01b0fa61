import { demoSecrets } from '#program/sandbox/demo-keys.ts'
import type { Reach } from './gateway.ts'

/**
 * The same request for a shell, in lines. A key that is not public stays out of it: terminals are
 * kept and shared.
 */
export function curlOf({ url, key }: Reach, path: string, body: object): string[] {
  const shown = demoSecrets.includes(key) ? key : '$PASSERELLE_KEY'
  return [
    `curl -H "Authorization: Bearer ${shown}" -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(JSON.stringify(body))} \\`,
    `  ${quoted(`${url}${path}`)}`,
  ]
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Http } from '#edge/http/http.ts'
import { type PreparedFile, prepareFile, sendPrepared } from '#edge/http/prepared-file.ts'
import { minifyScript, minifyStyle } from '#edge/pages/minify.ts'

const script = 'text/javascript; charset=utf-8'
const style = 'text/css; charset=utf-8'

const shared = ['theme', 'tables', 'header'].map((one) => `../../../edge/pages/${one}.css`)
const own = [
  'base',
  'frame',
  'groups',
  'controls',
  'toolbar',
  'lists',
  'rows-on-phones',
  'states',
  'charts',
  'print',
]
const styles = [...shared, ...own.map((one) => `styles/${one}.css`)]

export interface Assets {
  /** The address of a file, which changes with its content. */
  hrefOf(name: string): string
}

/** Serves style and scripts at addresses that browsers keep for good. */
export function addAssets(http: Http): Assets {
  const files = new Map(
    [
      {
        name: 'dashboard.css',
        type: style,
        text: minifyStyle(styles.map(read).join('')),
      },
      { name: 'dashboard.js', type: script, text: minifyScript(read('dashboard.js')) },
      { name: 'turbo.js', type: script, text: withoutComments(readTurbo()) },
    ].map((file) => {
      const hash = createHash('sha256').update(file.text).digest('base64url').slice(0, 12)
      return [file.name, { ...file, href: `/dashboard/assets/${hash}/${file.name}` }] as const
    }),
  )
  // Compressed when they are first asked for: a start need not wait for it.
  const prepared = new Map<string, Promise<PreparedFile>>()
  for (const { name, href, type, text } of files.values())
    http.get(
      href,
      { schema: { hide: true }, config: { isPrepared: true } },
      async (request, reply) => {
        const ready = prepared.get(name) ?? prepareFile(type, Buffer.from(text), 9)
        prepared.set(name, ready)
        return sendPrepared(request, reply, await ready, 'public, max-age=31536000, immutable')
      },
    )
  return {
    hrefOf: (name) => {
      const file = files.get(name)
      if (file === undefined) throw new Error(`there is no file ${name}`)
      return file.href
    },
  }
}

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}

/** Turbo as it is published for browsers. */
function readTurbo(): string {
  const { resolve } = createRequire(import.meta.url)
  return readFileSync(resolve('@hotwired/turbo/dist/turbo.es2017-esm.js'), 'utf8')
}

/** Drops comments but the licence, and indentation: a quarter of the compressed size. */
function withoutComments(source: string): string {
  const [licence = ''] = /^\/\*[^]*?\*\//.exec(source) ?? []
  return [licence, minifyScript(source.slice(licence.length))].join('\n')
}

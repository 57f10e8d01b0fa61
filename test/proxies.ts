import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from './listen.ts'
import { eventually } from './wait.ts'

/** A cell and where its processes listen. */
export interface ServedCell {
  name: string
  servers: string[]
}

const shipped = fileURLToPath(new URL('../deploy/cells', import.meta.url))
const run = promisify(execFile)

/**
 * Writes what `deploy/cells` has into a folder, without TLS and with other cells; the first of them
 * takes what names none. Returns the file of the configuration.
 */
export async function writeProxyFiles(
  folder: string,
  { port, cells }: { port: number; cells: ServedCell[] },
): Promise<string> {
  await cp(shipped, folder, { recursive: true })
  const file = join(folder, 'haproxy.cfg')
  const [way = '', backends = ''] = (await readFile(file, 'utf8')).split('# A cell, ')
  const changes: [from: string, to: string][] = [
    ['*:443 ssl crt pay.pem alpn h2,http/1.1', `127.0.0.1:${port}`],
    ['str(c1)', `str(${cells[0]?.name})`],
    ['default_backend cell_c1', `default_backend cell_${cells[0]?.name}`],
  ]
  for (const [from] of changes) assert.ok(way.includes(from), from)
  const own = changes.reduce((text, [from, to]) => text.replace(from, to), way)
  const [one = ''] = /^backend cell_c2[\s\S]*/m.exec(backends) ?? []
  await writeFile(file, [own, ...cells.map((cell) => backendsOf(cell, one))].join('\n'))
  return file
}

/** The backends of the cell c2, for another cell. */
function backendsOf({ name, servers }: ServedCell, one: string): string {
  return one
    .replaceAll('c2', name)
    .replaceAll(/^ {2}server s1 10\.0\.2\.1:8080(.*)\n/gm, (_line, track: string) =>
      servers
        .map((at, index) => `  server s${index} ${at}${track.replace(/s1$/, `s${index}`)}\n`)
        .join(''),
    )
}

/** HAProxy in front of cells, of which the first takes what names none; its address. */
export async function startProxy(cells: ServedCell[], port?: number): Promise<string> {
  const own = port ?? (await freePort())
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-proxy-'))
  const file = await writeProxyFiles(folder, { port: own, cells })
  await checkProxyFile(file)
  const running = spawn('haproxy', ['-q', '-db', '-f', file], { stdio: 'ignore' })
  const ended = once(running, 'exit')
  after(async () => {
    running.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${own}`
  for (const { name } of cells) await untilServed(url, name)
  return url
}

/** Throws what is wrong with a configuration; a warning counts. */
export async function checkProxyFile(file: string): Promise<void> {
  await run('haproxy', ['-c', '-q', '-dW', '-f', file])
}

/** Waits until the proxy finds a cell at an address. */
export async function untilServed(url: string, cell: string): Promise<void> {
  await eventually(`${url} is answered by ${cell}`, async () => {
    const answer = await fetch(`${url}/cells/${cell}/readyz`).catch(() => undefined)
    return answer?.status === 200 && answer.headers.get('x-cell') === cell
  })
}

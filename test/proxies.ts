import type { ChildProcess } from 'node:child_process'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { childrenOf, commandLine } from './program.ts'
import { eventually } from './wait.ts'

export type ProxyKind = 'haproxy' | 'nginx'

const run = promisify(execFile)

const scriptModule = '/usr/lib/nginx/modules/ngx_http_js_module.so'
/**
 * The real proxy on a port, with the configuration that `passerelle cells render` writes for a file
 * of cells; `change` gives the running one another file of cells.
 */
export async function startProxy(kind: ProxyKind, cells: object) {
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-proxy-'))
  const passerelle = commandLine({}, 'shared')
  const file = join(folder, 'cells.json')
  const render = async (content: object, more = '') => {
    await writeFile(file, JSON.stringify(content))
    return passerelle.text(`cells render --file ${file} --for ${kind} --out ${folder}${more}`)
  }
  await render(cells)
  const running = await (kind === 'haproxy' ? startHaproxy(folder) : startNginx(folder))
  const ended = once(running, 'exit')
  after(async () => {
    // A killed nginx would leave its worker behind.
    running.kill(kind === 'haproxy' ? 'SIGKILL' : 'SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  return {
    /** The list of clients that have left a cell, as its command writes it; the file's name. */
    listMoved: async (cell: string, databaseUrl: string) => {
      const name = `moved-by-${cell}.json`
      const environment = { CELL: cell, DATABASE_URL: databaseUrl }
      await passerelle.text(`cells moved --out ${join(folder, name)}`, environment)
      return name
    },
    change: async (content: object) => {
      if (kind === 'haproxy') return render(content, ` --socket ${join(folder, 'haproxy.sock')}`)
      const printed = await render(content)
      const workers = () => childrenOf(running.pid ?? Number.NaN)
      const before = await workers()
      running.kill('SIGHUP')
      // A worker that ends closes its idle connections, also one on which a request is on its way.
      await eventually('the workers of before have ended', async () => {
        const now = await workers()
        return !before.some((pid) => now.includes(pid))
      })
      return printed
    },
  }
}

async function startHaproxy(folder: string): Promise<ChildProcess> {
  const file = join(folder, 'haproxy.cfg')
  // Says what is wrong with a configuration; a warning counts.
  await run('haproxy', ['-c', '-q', '-dW', '-f', file])
  return spawn('haproxy', ['-q', '-db', '-f', file], { stdio: 'ignore' })
}

async function startNginx(folder: string): Promise<ChildProcess> {
  const file = join(folder, 'nginx.conf')
  await writeFile(
    file,
    `load_module ${scriptModule};
pid ${folder}/nginx.pid; error_log ${folder}/error.log; daemon off; worker_processes 1;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  include ${folder}/passerelle.conf;
}
`,
  )
  await run('nginx', ['-t', '-q', '-c', file])
  return spawn('nginx', ['-c', file], { stdio: 'ignore' })
}

/** Waits until the proxy finds a cell at an address. */
export async function untilServed(url: string, cell: string): Promise<void> {
  await eventually(`${url} is answered by ${cell}`, async () => {
    const answer = await fetch(`${url}/cells/${cell}/readyz`).catch(() => undefined)
    return answer?.status === 200 && answer.headers.get('x-cell') === cell
  })
}

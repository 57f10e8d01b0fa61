import cluster from 'node:cluster'
import type { AddressInfo, Server } from 'node:net'
import { connect, createServer } from 'node:net'
import type { Config } from '../config/config.ts'
import type { Http } from '../http/http.ts'
import { listenMore } from '../http/more-listeners.ts'
import { addressOfCell } from '../kit/cell-names.ts'
import { Problem } from '../kit/problem.ts'
import { portHolder } from './port-holder.ts'

interface Address {
  host: string
  port: number
}

interface Listener {
  listen(at: Address & { backlog: number; reusePort?: boolean }): Promise<string>
}

// Connections that the operating system keeps until they are taken; it allows 4,096 at most by
// default. With Node's 511 a burst of new ones overflows while the process is busy: those who
// connect are not told, try again after seconds, and give up after minutes.
const backlog = 4096
const fullQueueMs = 2000

/**
 * Listens on a configured address, or throws a `Problem` that says why it cannot. `prefix` begins
 * the names of the settings.
 */
export async function listenAt(
  http: Listener,
  { host, port, ...more }: Address & { reusePort?: boolean },
  prefix: '' | 'METRICS_' = '',
): Promise<string> {
  try {
    return await http.listen({ host, port, backlog, ...more })
  } catch (problem) {
    const { code } = problem as { code?: string }
    if (code === 'EADDRINUSE') throw await taken(port, prefix)
    if (code === 'EACCES')
      throw new Problem(
        `Port ${port} is not allowed for this account: set ${prefix}PORT to another.`,
      )
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new Problem(`${prefix}HOST=${host} is not an address of this machine.`)
    throw problem
  }
}

async function taken(port: number, prefix: string): Promise<Problem> {
  const holder = await portHolder(port)
  const is = holder === undefined ? 'is taken' : `is taken by process ${holder}`
  return new Problem(`Port ${port} ${is}: stop the other program, or set ${prefix}PORT to another.`)
}

/**
 * Whether a program listens there. Sockets with SO_REUSEPORT would share the port with another
 * gateway. To listen for a moment without it would reset those who connect in that moment.
 */
function isListenedTo(at: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(at)
    const end = (isSo: boolean) => {
      socket.destroy()
      resolve(isSo)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    // Neither refused nor accepted: its queue is full.
    socket.setTimeout(fullQueueMs, () => end(true))
  })
}

/** Like `listenAt`, with many sockets where the system and the kind of process allow that. */
export async function listenWithManySockets(http: Http, { host, port }: Address): Promise<string> {
  // The supervisor of a child listens for it, and has nothing else to do.
  if (process.platform !== 'linux' || cluster.isWorker) return listenAt(http, { host, port })
  await checkAddress({ host, port })
  const url = await listenAt(http, { host, port, reusePort: true })
  await listenMore(http, { host, port: Number(new URL(url).port), backlog })
  return url
}

/** Throws when the address is not one of this machine, or when a program listens there. */
export async function checkAddress({ host, port }: Address): Promise<void> {
  await freePortOf(host)
  if (port !== 0 && (await isListenedTo({ host, port }))) throw await taken(port, '')
}

/**
 * The configuration with the port that several processes will share: the configured one, or a free
 * one if that is 0. Throws when the configured port is taken.
 */
export async function withFreePort(config: Config): Promise<Config> {
  await checkAddress(config)
  const port = config.port === 0 ? await freePortOf(config.host) : config.port
  const publicUrl = config.publicUrl.replace(/:0$/, `:${port}`)
  return { ...config, port, publicUrl, payUrl: payUrlOf(config, publicUrl) }
}

async function freePortOf(host: string): Promise<number> {
  const probe = createServer()
  await listenAt(listenerOf(probe), { host, port: 0 })
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** A plain server, to be passed to `listenAt`. */
export function listenerOf(server: Server): Listener {
  return {
    listen: (at) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(at, () => {
          const { address, family, port: actual } = server.address() as AddressInfo
          resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`)
        })
      }),
  }
}

/** PUBLIC_URL, or the address we listen on: with PORT=0 its port is known only after `listen`. */
export function publicUrlOf({ port, publicUrl }: Config, url: string): string {
  return port === 0 && publicUrl.endsWith(':0') ? url : publicUrl
}

/** PAY_URL, or /pay of the public address. */
export function payUrlOf(config: Config, publicUrl: string): string {
  const pageOf = (url: string) => `${addressOfCell(url, config.cell)}/pay`
  return config.payUrl === pageOf(config.publicUrl) ? pageOf(publicUrl) : config.payUrl
}

import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Config } from '#base/config/config.ts'
import { addressOfCell } from '#base/kit/cell-names.ts'
import { Problem } from '#base/kit/problem.ts'

interface Address {
  host: string
  port: number
}

interface Listener {
  listen(at: Address & { backlog: number }): Promise<string>
}

// Connections that the operating system keeps until they are taken; it allows 4,096 at most by
// default. With Node's 511 a burst of new ones overflows while the process is busy: those who
// connect are not told, try again after seconds, and give up after minutes.
const backlog = 4096

/** Listens on the address of a setting, or throws a `Problem` that says why it cannot. */
export async function listenAt(
  http: Listener,
  { host, port }: Address,
  setting: 'PORT' | 'METRICS_ADDRESS' = 'PORT',
): Promise<string> {
  try {
    return await http.listen({ host, port, backlog })
  } catch (problem) {
    const { code } = problem as { code?: string }
    if (code === 'EADDRINUSE')
      throw new Problem(
        `Port ${port} is taken: stop the other program, or set ${setting} to another.`,
      )
    if (code === 'EACCES')
      throw new Problem(`Port ${port} is not allowed for this account: set ${setting} to another.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new Problem(
        `${setting === 'PORT' ? 'HOST' : setting}=${host} is not an address of this machine.`,
      )
    throw problem
  }
}

/** Throws when nothing can be listened on there, such as because another program does. */
export async function checkAddress(at: Address): Promise<void> {
  const probe = createServer()
  await listenAt(listenerOf(probe), at)
  await new Promise((resolve) => probe.close(resolve))
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

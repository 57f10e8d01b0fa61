import { createServer } from 'node:net'
import type { Config } from '../config/config.ts'
import { Problem } from '../kit/problem.ts'

interface Listener {
  listen(at: { host: string; port: number }): Promise<string>
}

/** Listens on the configured address, or throws a `Problem` that says why it cannot. */
export async function listenAt(http: Listener, { host, port }: Config): Promise<string> {
  try {
    return await http.listen({ host, port })
  } catch (problem) {
    const { code } = problem as { code?: string }
    if (code === 'EADDRINUSE')
      throw new Problem(`Port ${port} is taken: stop the other program, or set PORT to another.`)
    if (code === 'EACCES')
      throw new Problem(`Port ${port} is not allowed for this account: set PORT to another.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new Problem(`HOST=${host} is not an address of this machine.`)
    throw problem
  }
}

/**
 * The configuration with the port that several processes will share: the configured one, or a free
 * one if that is 0. Throws when the configured port is taken.
 */
export async function withFreePort(config: Config): Promise<Config> {
  const probe = createServer()
  const listener = {
    listen: ({ host, port }: { host: string; port: number }) =>
      new Promise<string>((resolve, reject) => {
        probe.once('error', reject)
        probe.listen({ host, port }, () => resolve(host))
      }),
  }
  await listenAt(listener, config)
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  const publicUrl = config.publicUrl.replace(/:0$/, `:${port}`)
  return { ...config, port, publicUrl, payUrl: payUrlOf(config, publicUrl) }
}

/** PUBLIC_URL, or the address we listen on: with PORT=0 its port is known only after `listen`. */
export function publicUrlOf({ port, publicUrl }: Config, url: string): string {
  return port === 0 && publicUrl.endsWith(':0') ? url : publicUrl
}

/** PAY_URL, or /pay of the public address. */
export function payUrlOf(config: Config, publicUrl: string): string {
  return config.payUrl === `${config.publicUrl}/pay` ? `${publicUrl}/pay` : config.payUrl
}

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after } from 'node:test'
import { testInstallation } from './installation.ts'
import { type Gateway, startGateway } from './program.ts'

/**
 * A gateway in a process of its own that can be killed at any moment and started again, with a lab
 * that lives on. Its address stays the same, as behind a load balancer.
 */
export async function killableGateway(settings: Record<string, string> = {}) {
  const { db, owner, lab, environment, expireLeases, untilAllEnded } = await testInstallation()
  let running: Gateway | undefined
  const url = await openProxy(() => running?.url)
  after(kill)

  async function start(): Promise<void> {
    running = await startGateway({ ...environment, ...settings, PUBLIC_URL: url })
  }
  async function kill(): Promise<void> {
    await running?.stop('SIGKILL')
    running = undefined
  }
  /** Starts it a last time and waits until every transaction has ended. */
  async function recover(): Promise<void> {
    await expireLeases()
    await start()
    await untilAllEnded()
  }

  const secret = 'sk_sandbox_demo_enterprise'
  const caller = { url, secret }
  return { caller, db, owner, lab, start, kill, recover, expireLeases, untilAllEnded }
}

/** A port of its own that leads to the current address; without one, connections are closed. */
async function openProxy(currentUrl: () => string | undefined): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((from) => {
    const target = currentUrl()
    if (target === undefined) return void from.destroy()
    const to = connect(Number(new URL(target).port), '127.0.0.1')
    for (const [one, other] of [[from, to] as const, [to, from] as const]) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { startLab } from '../lab/server.ts'
import { testDatabase } from './database.ts'
import type { Gateway } from './program.ts'
import { startGateway } from './program.ts'
import { eventually } from './wait.ts'

/**
 * A gateway in a process of its own that can be killed at any moment and started again, with a lab
 * that lives on. Its address stays the same, as behind a load balancer.
 */
export async function killableGateway() {
  const { url: databaseUrl, db, connect: connectDb } = await testDatabase()
  const owner = connectDb({ asOwner: true })
  const lab = await startLab({ port: 0, pace: 5 })
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-killed-'))
  let running: Gateway | undefined
  const url = await openProxy(() => Number(new URL(running?.url ?? '').port))
  after(async () => {
    await kill()
    await lab.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function start(): Promise<void> {
    running = await startGateway({
      DATABASE_URL: databaseUrl,
      DATA_DIR: folder,
      PUBLIC_URL: url,
      LAB_PORT: new URL(lab.url).port,
    })
  }
  async function kill(): Promise<void> {
    running?.kill('SIGKILL')
    await running?.ended
    running = undefined
  }

  /** Starts it a last time and waits until every transaction has ended. */
  async function recover(): Promise<void> {
    // Their leases are of processes that are dead: nobody needs to wait for the end of a lease.
    await owner`update transactions set due_at = now() where completed_at is null`
    await start()
    let open: object[] = []
    await eventually(
      () => `the end of ${JSON.stringify(open)}`,
      async () => {
        // Later than a lease can end: a back-off, and nobody works on it.
        await owner`
          update transactions set due_at = now()
          where completed_at is null and due_at > now() + interval '20 seconds'`
        open = await db`
          select id, service_code, phone, status, attempt_state, polls, due_at - now() as due_in
          from transactions where completed_at is null limit 10`
        return open.length === 0
      },
    )
  }

  const secret = 'sk_sandbox_demo_enterprise'
  return { caller: { url, secret }, db, lab, start, kill, recover }
}

/** A port of its own that leads to whatever port is current; without one, connections are closed. */
async function openProxy(currentPort: () => number): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((from) => {
    const to = connect(currentPort() || 9, '127.0.0.1')
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

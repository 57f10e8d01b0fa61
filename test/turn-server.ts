import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { openHttp } from '#edge/http/server.ts'

const backlog = 4096

/** A server whose answers take a few turns of the event loop. */
export async function startTurnServer() {
  const log = pino({ level: 'silent' })
  const http = await openHttp({ log, isHttps: false, trustedProxies: [] })
  let begun = 0
  http.get('/api/turn', async () => {
    begun += 1
    await new Promise((resolve) => void setTimeout(resolve, 5))
    return {}
  })
  const host = '127.0.0.1'
  await http.listen({ host, port: 0, backlog })
  const { port } = http.server.address() as AddressInfo
  return { http, port, begun: () => begun }
}

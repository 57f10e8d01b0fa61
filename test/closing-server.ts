/*
 * node test/closing-server.ts one|many
 *
 * Closes servers with one or many listening sockets while clients connect, and prints what became
 * of clients that were not answered each time.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startTurnServer } from './turn-server.ts'

const client = fileURLToPath(new URL('reconnecting-client.ts', import.meta.url))
const rounds = 20

/** Another process, whose requests come at any moment. */
async function startClient(port: number) {
  const child = spawn(process.execPath, [client, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)
  await once(lines, 'line')
  const last = once(lines, 'line')
  return { ends: async (): Promise<object> => JSON.parse(String((await last)[0])) }
}

/** How the requests of those clients ended of which not every request was answered. */
export async function closeWhileClientsConnect(listens: 'one' | 'many'): Promise<object[]> {
  const all: object[] = []
  for (let round = 0; round < rounds; round += 1) {
    const { http, port } = await startTurnServer({ listens })
    const clients = await Promise.all([startClient(port), startClient(port)])
    // Another moment in each round.
    await sleep(round * 7)
    await http.close()
    for (const { ends } of clients) all.push(await ends())
  }
  return all.filter((ends) => Object.keys(ends).join() !== '200')
}

if (import.meta.main) {
  const listens = process.argv[2]
  if (listens !== 'one' && listens !== 'many') throw new Error('which server: one or many?')
  console.log(JSON.stringify(await closeWhileClientsConnect(listens)))
}

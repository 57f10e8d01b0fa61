import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startTurnServer } from '../../test/turn-server.ts'

const program = fileURLToPath(new URL('../../test/reconnecting-client.ts', import.meta.url))
const rounds = 20

/** Another process, whose requests come at any moment. */
async function startClient(port: number) {
  const child = spawn(process.execPath, [program, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)
  await once(lines, 'line')
  const last = once(lines, 'line')
  return { ends: async (): Promise<object> => JSON.parse(String((await last)[0])) }
}

it('a server that closes resets nobody who connects at that moment', async () => {
  const all: object[] = []
  for (let round = 0; round < rounds; round += 1) {
    const { http, port } = await startTurnServer({ listens: 'one' })
    const clients = await Promise.all([startClient(port), startClient(port)])
    // Another moment in each round.
    await sleep(round * 7)
    await http.close()
    for (const { ends } of clients) all.push(await ends())
  }
  const others = all.filter((ends) => Object.keys(ends).join() !== '200')
  assert.deepEqual(others, [])
})

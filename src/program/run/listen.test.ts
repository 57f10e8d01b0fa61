import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { after, it } from 'node:test'
import { eventually } from '#test/wait.ts'
import { checkAddress, listenAt, listenerOf } from './listen.ts'

const program = `
  import { createServer } from 'node:http'
  import { listenAt, listenerOf } from '${new URL('listen.ts', import.meta.url).href}'
  console.log(await listenAt(listenerOf(createServer()), { host: '127.0.0.1', port: 0 }))`

it('a thousand connections are kept for a process that is too busy to take them', async () => {
  const server = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const sockets: Socket[] = []
  try {
    const [url] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
    server.kill('SIGSTOP')
    let connected = 0
    for (let count = 0; count < 1000; count += 1) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => {})
      socket.once('connect', () => void (connected += 1))
      sockets.push(socket)
    }
    await eventually('all are connected', async () => connected === sockets.length)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  assert.equal(server.signalCode, 'SIGKILL')
})

it('a second process cannot share the port', async () => {
  const first = createServer()
  after(() => void first.close())
  const host = '127.0.0.1'
  const port = Number(new URL(await listenAt(listenerOf(first), { host, port: 0 })).port)
  const open = () => listenAt(listenerOf(createServer()), { host, port })
  const taken = new RegExp(`^Problem: Port ${port} is taken: stop the other program`)
  await assert.rejects(open(), taken)
  await assert.rejects(checkAddress({ host, port }), taken)
})

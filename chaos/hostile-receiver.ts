import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { readJob } from './child.ts'
import { openJournal } from './journal.ts'

// A program of its own: servers that treat those who deliver webhooks badly, each on a port of its
// own. It prints their addresses by name, and writes a line for each connection when it has ended:
// how long it lasted and how many bytes the other side took.

const { journalPath, names } = await readJob<{ journalPath: string; names: string[] }>()
const journal = openJournal(journalPath)

type Behaviour = (socket: Socket, write: (text: string | Buffer) => Promise<void>) => Promise<void>

const ok = 'HTTP/1.1 200 OK\r\n'
const gibibyte = 2 ** 30
const part = Buffer.alloc(65_536, 'x')

const behaviours: Record<string, Behaviour> = {
  'header-drip': async (socket, write) => {
    await write(ok)
    for (let line = 0; !socket.destroyed; line += 1) {
      await write(`x-${line}: drip\r\n`)
      await sleep(200)
    }
  },
  'body-drip': async (socket, write) => {
    await write(`${ok}content-length: ${gibibyte}\r\n\r\n`)
    while (!socket.destroyed) {
      await write('x')
      await sleep(200)
    }
  },
  'endless-body': async (socket, write) => {
    await write(`${ok}content-length: ${gibibyte}\r\n\r\n`)
    for (let bytes = 0; bytes < gibibyte && !socket.destroyed; bytes += part.length)
      await write(part)
  },
  'redirect-loop': async (socket, write) => {
    const { localPort } = socket
    const location = `location: http://127.0.0.1:${localPort}/again\r\n`
    await write(`HTTP/1.1 302 Found\r\n${location}content-length: 0\r\nconnection: close\r\n\r\n`)
    // A connection that is kept would last for several attempts.
    socket.end()
  },
  reset: async (socket) => {
    socket.resetAndDestroy()
  },
  silent: async () => {},
  dead: async (_socket, write) => {
    await write('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n')
  },
}

const urls: Record<string, string> = {}
for (const [index, name] of names.entries()) {
  const behave = behaviours[name.replace(/-\d+$/, '')]
  if (behave === undefined) throw new Error(`There is no behaviour "${name}".`)
  const server = createServer((socket) => void treat(name, socket, behave))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  urls[name] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${index}`
}
console.log(JSON.stringify(urls))
process.on('SIGTERM', () => {
  journal.close()
  process.exit(0)
})

async function treat(name: string, socket: Socket, behave: Behaviour): Promise<void> {
  const startedMs = performance.now()
  let requests = 0
  socket.on('error', () => {})
  socket.on('close', () => {
    const tookMs = Math.round(performance.now() - startedMs)
    journal.append(['ended', Date.now(), name, tookMs, socket.bytesWritten, requests])
  })
  const closed = new AbortController()
  socket.once('close', () => closed.abort())
  const write = async (text: string | Buffer) => {
    if (socket.destroyed) return
    if (!socket.write(text)) await once(socket, 'drain', { signal: closed.signal }).catch(() => {})
  }
  socket.on('data', () => {
    requests += 1
    void behave(socket, write).catch(() => {})
  })
}

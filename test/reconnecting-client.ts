/*
 * node test/reconnecting-client.ts PORT
 *
 * Sends requests to a server on this machine, each on a connection of its own, many of them at
 * once, until it finds the port closed. Prints `begun` after the first answer, then how many
 * requests ended in which way: their status, or why there was none.
 */
import { connect } from 'node:net'

const port = Number(process.argv[2])
const connectionsAtOnce = 24
const request = 'GET /api/turn HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
const ends: Record<string, number> = {}

function send(): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    let problem: string | undefined
    const socket = connect({ port, host: '127.0.0.1' }, () => void socket.write(request))
    socket.setEncoding('latin1').on('data', (more) => void (text += more))
    socket.on('error', ({ code }: NodeJS.ErrnoException) => void (problem = code ?? 'an error'))
    socket.on('close', () => resolve(problem ?? /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 'nothing'))
  })
}

async function keepSending(): Promise<void> {
  for (;;) {
    const end = await send()
    if (end === 'ECONNREFUSED') return
    if (Object.keys(ends).length === 0) console.log('begun')
    ends[end] = (ends[end] ?? 0) + 1
  }
}

await Promise.all(Array.from({ length: connectionsAtOnce }, keepSending))
console.log(JSON.stringify(ends))

import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { messageReader } from './messages.ts'

/** What became of a request; without an answer the status is 0 and the problem is named. */
export interface Answer {
  status: number
  /** A character is a byte. */
  body: string
  problem: string | undefined
}

/** Some connections to one server that are used again and again. */
export interface Lines {
  /** Sends a request, or lets it wait until a connection is free; first come, first served. */
  send(request: string): Promise<Answer>
  /** Ends the connections, once those in use are free. */
  close(): void
}

interface Call {
  request: string
  end(answer: Answer): void
}

interface Line {
  socket: Socket
  call: Call | undefined
}

const patienceMs = 300_000
const closeLine = /\r\nconnection: close/i
// What was read is made text at once, so that one place is enough for all connections.
const buffer = Buffer.alloc(65_536)

/** Opens connections when they are needed, `most` at a time; one that breaks is opened anew. */
export function openLines(url: string, most: number): Lines {
  const { hostname, port } = new URL(url)
  const free: Line[] = []
  const waiting: Call[] = []
  let open = 0
  let isClosing = false

  function give(line: Line, call: Call): void {
    line.call = call
    line.socket.write(call.request, 'latin1')
  }

  function hear(line: Line, head: string, body: string): void {
    const { call } = line
    if (call === undefined) throw new Error('an answer to nothing')
    if (!head.startsWith('HTTP/1.1 ')) throw new Error('not an answer')
    line.call = undefined
    call.end({ status: Number(head.slice(9, 12)), body, problem: undefined })
    if (closeLine.test(head)) return void line.socket.destroy()
    const next = waiting.shift()
    if (next !== undefined) give(line, next)
    else if (isClosing) line.socket.destroy()
    else free.push(line)
  }

  function openLine(): Line {
    const read = messageReader((head, body) => hear(line, head, body))
    const callback = (bytes: number) => {
      try {
        read(buffer.toString('latin1', 0, bytes))
      } catch (error) {
        socket.destroy(error as Error)
      }
      return true
    }
    const socket = connect({
      host: hostname.replaceAll(/[[\]]/g, ''),
      port: Number(port),
      noDelay: true,
      onread: { buffer, callback },
    })
    const line: Line = { socket, call: undefined }
    let problem = 'closed'
    socket.setTimeout(patienceMs, () => {
      problem = 'no answer'
      socket.destroy()
    })
    socket.on('end', () => socket.destroy())
    socket.on('error', (error: NodeJS.ErrnoException) => {
      problem = error.code ?? error.message
    })
    socket.on('close', () => leave(line, problem))
    open += 1
    return line
  }

  function leave(line: Line, problem: string): void {
    open -= 1
    const place = free.indexOf(line)
    if (place !== -1) free.splice(place, 1)
    line.call?.end({ status: 0, body: '', problem })
    const next = waiting.shift()
    if (next !== undefined) give(openLine(), next)
  }

  return {
    send: (request) =>
      new Promise((end) => {
        // In turn: a server closes what has been silent for long, maybe as it is used again.
        const line = free.shift() ?? (open < most ? openLine() : undefined)
        if (line === undefined) waiting.push({ request, end })
        else give(line, { request, end })
      }),
    close: () => {
      isClosing = true
      for (const { socket } of free) socket.destroy()
    },
  }
}

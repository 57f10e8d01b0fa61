import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { createMessageReader } from './http-messages.ts'

/** The response to a request; without one the status is 0 and `problem` names the cause. */
export interface HttpResponse {
  status: number
  /** Latin1: a character is a byte. */
  body: string
  problem: string | undefined
}

/** A pool of keep-alive connections to one server. */
export interface HttpPool {
  /** Sends a request, or queues it until a connection is free; first in, first out. */
  send(request: string): Promise<HttpResponse>
  /** Closes idle connections now, the others after the queued requests. */
  close(): void
}

interface PendingRequest {
  request: string
  resolve(response: HttpResponse): void
}

interface Connection {
  socket: Socket
  pending: PendingRequest | undefined
}

const responseTimeoutMs = 300_000
const connectionClose = /\r\nconnection: close/i
// The bytes are converted to text at once, so all connections can share one read buffer.
const readBuffer = Buffer.alloc(65_536)

/** Opens connections on demand, at most `connectionsMax`; a broken one is replaced. */
export function openHttpPool(url: string, connectionsMax: number): HttpPool {
  const { hostname, port } = new URL(url)
  const idle: Connection[] = []
  const queue: PendingRequest[] = []
  let openCount = 0
  let isClosing = false

  function assign(connection: Connection, pending: PendingRequest): void {
    connection.pending = pending
    connection.socket.write(pending.request, 'latin1')
  }

  function onResponse(connection: Connection, head: string, body: string): void {
    const { pending } = connection
    if (pending === undefined) throw new Error('an answer to nothing')
    if (!head.startsWith('HTTP/1.1 ')) throw new Error('not an answer')
    connection.pending = undefined
    pending.resolve({ status: Number(head.slice(9, 12)), body, problem: undefined })
    if (connectionClose.test(head)) return void connection.socket.destroy()
    const next = queue.shift()
    if (next !== undefined) assign(connection, next)
    else if (isClosing) connection.socket.destroy()
    else idle.push(connection)
  }

  function openConnection(): Connection {
    const read = createMessageReader((head, body) => onResponse(connection, head, body))
    const socket = openSocket({ hostname, port }, read, (problem) => onClose(connection, problem))
    const connection: Connection = { socket, pending: undefined }
    openCount += 1
    return connection
  }

  function onClose(connection: Connection, problem: string): void {
    openCount -= 1
    const index = idle.indexOf(connection)
    if (index !== -1) idle.splice(index, 1)
    connection.pending?.resolve({ status: 0, body: '', problem })
    const next = queue.shift()
    if (next !== undefined) assign(openConnection(), next)
  }

  return {
    send: (request) =>
      new Promise((resolve) => {
        // Round robin: a connection left idle for long could be closed by the server just as a
        // request is written to it.
        const connection =
          idle.shift() ?? (openCount < connectionsMax ? openConnection() : undefined)
        if (connection === undefined) queue.push({ request, resolve })
        else assign(connection, { request, resolve })
      }),
    close: () => {
      isClosing = true
      for (const { socket } of idle) socket.destroy()
    },
  }
}

/** Connects, passes on what is read, and says once why the connection was closed. */
function openSocket(
  { hostname, port }: { hostname: string; port: string },
  read: (text: string) => void,
  onClose: (problem: string) => void,
): Socket {
  const callback = (bytes: number) => {
    try {
      read(readBuffer.toString('latin1', 0, bytes))
    } catch (error) {
      socket.destroy(error as Error)
    }
    return true
  }
  const socket = connect({
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: Number(port),
    noDelay: true,
    onread: { buffer: readBuffer, callback },
  })
  let problem = 'closed'
  socket.setTimeout(responseTimeoutMs, () => {
    problem = 'no answer'
    socket.destroy()
  })
  socket.on('end', () => socket.destroy())
  socket.on('error', (error: NodeJS.ErrnoException) => {
    problem = error.code ?? error.message
  })
  socket.on('close', () => onClose(problem))
  return socket
}

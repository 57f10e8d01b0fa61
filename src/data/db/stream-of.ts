import type { Socket } from 'node:net'
import type pg from 'pg'

/** The socket of a connection. */
export function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

/*
 * WORKAROUND. Closes the listening sockets of a supervisor before its children stop.
 *
 * Why: node:cluster listens in the supervisor, gives no access to its sockets, and closes them with
 * the last child. Connections that it has accepted and not handed over by then are reset.
 * Gain: of 120 clients that reconnect all the time, about 110 were reset at SIGTERM; now what was
 * accepted is handed over and answered, and the next clients find the port closed.
 * Must never: keep a start from working; where Node does not report its sockets, nothing is done.
 * Tested by: `supervisor.slow.test.ts`, with clients that connect anew for every request.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { closeListener } from '../http/close-listener.ts'

interface Handle {
  listen?(backlog: number): number
  getsockname?(address: Partial<AddressInfo>): number
  close(): void
}

// Node accepts one connection in a turn of the event loop, and the kernel keeps up to 4,096.
const turns = 4100

/** Remembers the sockets that listen from now on; the returned function closes them. */
export function rememberListeningSockets(): () => Promise<void> {
  const handles = new Set<Handle>()
  subscribe('tracing:net.server.listen:asyncEnd', (message) => {
    const { _handle: handle } = (message as { server: { _handle?: Handle | null } }).server
    if (handle) handles.add(handle)
  })
  const close = async () => {
    // No further connections are queued; those in the queue are accepted.
    for (const handle of handles) handle.listen?.(0)
    for (let turn = 0; turn < turns; turn += 1) await nextTurn()
    for (const handle of handles) {
      const at: Partial<AddressInfo> = {}
      handle.getsockname?.(at)
      const close = () => handle.close()
      const { address, port } = at
      if (address === undefined || port === undefined) close()
      else await closeListener({ address, port }, close)
    }
  }
  let closed: Promise<void> | undefined
  return () => (closed ??= close())
}

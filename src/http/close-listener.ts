/*
 * WORKAROUND. Closes a listening socket without resetting who connects at that moment.
 *
 * Why: what is in the queue of a listening socket when it is closed is reset, though its client may
 * have sent a request. A queue of length 0 still has a place for one, so there is always a moment
 * in which a client can get in unseen. Neither Node nor a socket option can prevent that.
 * Gain: a connection of our own takes that place while the event loop stands still. Linux then
 * drops what asks for a connection; those clients ask again and find the port closed.
 * Must never: keep a server open; where the kernel's table does not show that our own is in the
 * queue (no /proc, clients in the middle of connecting), it is closed all the same.
 * Tested by: `graceful-close.slow.test.ts`, with processes that connect anew for every request.
 */
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { socketsOfPort } from '../net/socket-table.ts'

const triesMax = process.platform === 'linux' ? 50 : 0
// The kernel may need a moment to connect us.
const looksMax = 5
// Who is in the queue is accepted and read.
const turnsBetween = 4
const loopback: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

type Address = Pick<AddressInfo, 'address' | 'port'>

/** To be called when nobody is in the queue, and its length is 0. `close` closes at once. */
export async function closeListener(at: Address, close: () => void): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (await closeBehindOwn(at, close)) return
    for (let turn = 0; turn < turnsBetween; turn += 1) await nextTurn()
  }
  close()
}

async function closeBehindOwn({ address, port }: Address, close: () => void): Promise<boolean> {
  const own: Socket = connect({ port, host: loopback[address] ?? address })
  own.on('error', () => {})
  try {
    // It asks for its connection in the next tick, before the event loop goes on.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    for (let looks = 0; looks < looksMax; looks += 1) {
      const { isFull, isOwn } = lookAt(port, own.localPort)
      if (isFull && !isOwn) return false
      if (!isFull) continue
      // Looked at again: a table that changes while it is read may lack a line.
      if (lookAt(port, own.localPort).isConnecting) return false
      close()
      return true
    }
    return false
  } finally {
    own.destroy()
  }
}

/** Whether a queue of the port is full, ours is in it, and others are about to be connected. */
function lookAt(port: number, ownPort: number | undefined) {
  const sockets = socketsOfPort(port)
  return {
    isFull: sockets.some(({ state, queued }) => state === 'listening' && queued > 0),
    isOwn: sockets.some(
      ({ state, inode, remotePort }) =>
        state === 'established' && inode === '0' && remotePort === ownPort,
    ),
    isConnecting: sockets.some(({ state }) => state === 'connecting'),
  }
}

import { readFileSync } from 'node:fs'

/** A TCP socket as the kernel of Linux lists it, in /proc/net/tcp and tcp6. */
export interface ListedSocket {
  state: 'established' | 'connecting' | 'listening' | 'other'
  remotePort: number
  /** Of a listening socket: how many connections wait to be accepted. */
  queued: number
  /** '0' belongs to no process, as a connection that waits to be accepted. */
  inode: string
}

const states: Record<string, ListedSocket['state']> = {
  '01': 'established',
  '03': 'connecting',
  '0A': 'listening',
}

/** The sockets of a local port; none where there is no /proc. A line may be there twice. */
export function socketsOfPort(port: number): ListedSocket[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return ['tcp', 'tcp6']
    .flatMap((name) => readLines(`/proc/net/${name}`))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local]) => local?.endsWith(suffix))
    .map(([, , remote = '', state = '', queues = '', , , , , inode = '']) => ({
      state: states[state] ?? 'other',
      remotePort: lastHexOf(remote),
      queued: lastHexOf(queues),
      inode,
    }))
}

function lastHexOf(pair: string): number {
  return Number.parseInt(pair.slice(pair.indexOf(':') + 1), 16)
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(1)
  } catch {
    return []
  }
}

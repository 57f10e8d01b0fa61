import type { LookupAddress } from 'node:dns'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { monotonicMs } from '#base/kit/clock.ts'

/** The addresses of a name that this machine knows by itself; undefined: ask a name server. */
export type FindLocalName = (name: string) => LookupAddress[] | undefined

const lookAgainMs = 5000
const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Finds names in the hosts file, which is read again when it has changed. The few bytes are read
 * synchronously: the thread pool, which other reads go through, may be busy for a long time.
 */
export function openHostsFile(path = '/etc/hosts'): FindLocalName {
  let names = new Map<string, LookupAddress[]>()
  let readVersion = ''
  let lookAgainAtMs = 0

  function refresh(): void {
    if (monotonicMs() < lookAgainAtMs) return
    lookAgainAtMs = monotonicMs() + lookAgainMs
    try {
      const { mtimeMs, ino, size } = statSync(path)
      const version = `${mtimeMs} ${ino} ${size}`
      if (version === readVersion) return
      names = parseHosts(readFileSync(path, 'utf8'))
      readVersion = version
    } catch {
      // A machine without the file has no names of its own.
      names = new Map()
      readVersion = ''
    }
  }

  return (name) => {
    refresh()
    // No name server is asked for `localhost` and what is under it (RFC 6761).
    return names.get(name) ?? (/(?:^|\.)localhost$/.test(name) ? loopback : undefined)
  }
}

function parseHosts(text: string): Map<string, LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const alias of aliases) {
      const name = alias.toLowerCase()
      names.set(name, [...(names.get(name) ?? []), { address, family }])
    }
  }
  return names
}

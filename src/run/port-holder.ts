import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'
import { socketsOfPort } from '../net/socket-table.ts'

const commandLengthMax = 80

/** The process that listens on a TCP port, such as `12 (node …)`; undefined: it is not known. */
export async function portHolder(port: number): Promise<string | undefined> {
  const listening = socketsOfPort(port).filter(({ state }) => state === 'listening')
  const sockets = new Set(listening.map(({ inode }) => `socket:[${inode}]`))
  if (sockets.size === 0) return undefined
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    // Of other accounts' processes only root may see this.
    const files = await readdir(`/proc/${pid}/fd`).catch(() => [])
    for (const file of files) {
      const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '')
      if (sockets.has(target)) return `${pid} (${await commandOf(pid)})`
    }
  }
  return undefined
}

/** Paths are shown by their last part, so that long folders do not push the program's name out. */
async function commandOf(pid: string): Promise<string> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  const words = command.split('\0').map((word) => (word.startsWith('/') ? basename(word) : word))
  return words.join(' ').trim().slice(0, commandLengthMax)
}

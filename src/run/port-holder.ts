import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'

const commandLengthMax = 80

/** The process that listens on a TCP port, such as `12 (node …)`; undefined: it is not known. */
export async function portHolder(port: number): Promise<string | undefined> {
  const sockets = new Set((await listeningInodes(port)).map((inode) => `socket:[${inode}]`))
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

/** The inodes of the listening sockets of a port; none where there is no /proc. */
async function listeningInodes(port: number): Promise<string[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  )
  const listening = '0A'
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(`:${hexPort}`) && state === listening)
    .map((fields) => fields[9] ?? '')
}

/** Paths are shown by their last part, so that long folders do not push the program's name out. */
async function commandOf(pid: string): Promise<string> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  const words = command.split('\0').map((word) => (word.startsWith('/') ? basename(word) : word))
  return words.join(' ').trim().slice(0, commandLengthMax)
}

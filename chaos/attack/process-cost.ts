import { readFileSync } from 'node:fs'

/** The processor time that the first thread of a process has used: in Node the one that serves. */
export function threadMs(pid: number): number {
  const [used = ''] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
  return Number(used) / 1e6
}

/** How long that thread was ready to run and had no processor: what else the machine was doing. */
export function waitedMs(pid: number): number {
  const [, waited = ''] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
  return Number(waited) / 1e6
}

/** How much memory a process holds, in megabytes. */
export function memoryMb(pid: number): number {
  const [, kilobytes = ''] =
    /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1000
}

import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// The unit of /proc/PID/stat: Linux has it at 100 a second everywhere.
const TICKS_PER_SECOND = 100

/**
 * Seconds of processor time of a process, of those it started and of those they started, ended ones
 * included; 0 where there is no /proc.
 */
export function processorSeconds(pid: number = process.pid): number {
  return ticksOf(pid) / TICKS_PER_SECOND
}

function ticksOf(pid: number): number {
  const running = childrenOf(pid).reduce((sum, child) => sum + ticksOf(child), 0)
  // Its name may hold spaces and brackets. After it: user and system time, and those of children
  // that have ended.
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), running)
}

/** Each thread has children of its own. */
function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Where the test processes of a run write the seconds of each file. */
export function countedPath(): string {
  return join(tmpdir(), 'processor-seconds')
}

/** The files of a run with their seconds, the most expensive first. */
export function readCounted(): [file: string, seconds: number][] {
  return read(countedPath())
    .split('\n')
    .filter(Boolean)
    .map((line): [string, number] => [line.split(' ')[1] ?? '', Number.parseFloat(line)])
    .sort(([, a], [, b]) => b - a)
}

import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100

interface Stat {
  pid: number
  parent: number
  name: string
  ticks: number
}

export interface CpuMeter {
  /** Cores used by each kind of process since the start, by what it is. */
  stop(): Record<string, number>
}

/** The processes a program has started, itself included; those in sessions of their own too. */
export function processesUnder(root: number): (all: Stat[]) => Stat[] {
  return (all) => {
    const family = new Set([root])
    for (const { pid, parent } of all.toSorted((a, b) => a.pid - b.pid))
      if (family.has(parent)) family.add(pid)
    return all.filter(({ pid }) => family.has(pid))
  }
}

/** Measures processor time between now and `stop`. Linux only; elsewhere it tells nothing. */
export function meterCpu(choose: (all: Stat[]) => Stat[]): CpuMeter {
  const startedMs = performance.now()
  const before = new Map(choose(readStats()).map(({ pid, ticks }) => [pid, ticks]))
  return {
    stop: () => {
      const seconds = (performance.now() - startedMs) / 1000
      const cores: Record<string, number> = {}
      for (const { pid, name, ticks } of choose(readStats())) {
        const used = (ticks - (before.get(pid) ?? 0)) / ticksPerSecond / seconds
        cores[name] = Math.round(((cores[name] ?? 0) + used) * 100) / 100
      }
      return cores
    },
  }
}

function readStats(): Stat[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        return [readStat(Number(entry))]
      } catch {
        return [] // it has just ended
      }
    })
}

function readStat(pid: number): Stat {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  const name = command.includes('postgres')
    ? 'postgres'
    : command.includes('lab/main.ts')
      ? 'lab'
      : 'gateway'
  return {
    pid,
    parent: Number(fields[1]),
    name,
    ticks: Number(fields[11]) + Number(fields[12]),
  }
}

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { sum } from './statistics.ts'

// Linux counts processor time in ticks of 10 ms.
const msPerTick = 10

/** Processor time in milliseconds, by the name of the root process. */
export type CpuMs = Record<string, number>

interface ProcessStat {
  pid: number
  parent: number
  cpuMs: number
}

/** Root processes by name. A descendant belongs to its nearest root. */
export type RootPids = Record<string, number>

/** The roots of a gateway, its PostgreSQL and its lab, found in its data folder; plus `others`. */
export function findRootPids(dataDir: string, gatewayPid: number, others: RootPids = {}): RootPids {
  const postmaster = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8')
  const lab = JSON.parse(readFileSync(join(dataDir, 'lab.json'), 'utf8')) as { pid: number }
  const postgres = Number(postmaster.split('\n')[0])
  return { gateway: gatewayPid, postgres, lab: lab.pid, ...others }
}

/** Starts a meter; the returned function reads what each root has used since. */
export function startCpuMeter(roots: RootPids): () => CpuMs {
  const before = readCpu(roots)
  return () => {
    const after = readCpu(roots)
    return Object.fromEntries(
      Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]),
    )
  }
}

function readCpu(roots: RootPids): CpuMs {
  const groups = groupByRoot(roots)
  const totalOf = (name: string) => sum((groups[name] ?? []).map(({ cpuMs }) => cpuMs))
  return Object.fromEntries(Object.keys(roots).map((name) => [name, totalOf(name)]))
}

function groupByRoot(roots: RootPids): Record<string, ProcessStat[]> {
  const stats = readStats()
  const names = new Map(Object.entries(roots).map(([name, pid]) => [pid, name]))
  const byPid = new Map(stats.map((stat) => [stat.pid, stat]))
  const groups: Record<string, ProcessStat[]> = {}
  for (const stat of stats) {
    let ancestor: ProcessStat | undefined = stat
    while (ancestor !== undefined && !names.has(ancestor.pid)) ancestor = byPid.get(ancestor.parent)
    const name = ancestor === undefined ? undefined : names.get(ancestor.pid)
    if (name !== undefined) (groups[name] ??= []).push(stat)
  }
  return groups
}

/** Resident memory, open descriptors and the sockets among them. */
export interface HeldResources {
  rssMb: number
  descriptors: number
  sockets: number
}

/** The resources that a root and its descendants hold now. */
export function readHeldResources(name: string, roots: RootPids): HeldResources {
  const held = { rssMb: 0, descriptors: 0, sockets: 0 }
  for (const { pid } of groupByRoot(roots)[name] ?? []) {
    const [, rssKb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    held.rssMb += Number(rssKb ?? 0) / 1024
    const targets = readLinkTargets(`/proc/${pid}/fd`)
    held.descriptors += targets.length
    held.sockets += targets.filter((target) => target.startsWith('socket:')).length
  }
  return held
}

/** How often the threads of a process have gone to sleep, and so were woken. */
export function countSleeps(pid: number): number {
  const folder = `/proc/${pid}/task`
  const counts = readdirSync(folder).map((thread) => {
    const text = readFileSync(join(folder, thread, 'status'), 'utf8')
    return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1] ?? 0)
  })
  return sum(counts)
}

function readLinkTargets(folder: string): string[] {
  return readdirSync(folder).flatMap((entry) => {
    try {
      return [readlinkSync(join(folder, entry))]
    } catch {
      return [] // the descriptor was closed meanwhile
    }
  })
}

function readStats(): ProcessStat[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        return [readStat(Number(entry))]
      } catch {
        return [] // the process ended meanwhile
      }
    })
}

/** Includes the time of ended children that the process has waited for. */
function readStat(pid: number): ProcessStat {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  // utime, stime, cutime and cstime.
  const ticks = sum(fields.slice(11, 15))
  return { pid, parent: fields[1] ?? 0, cpuMs: ticks * msPerTick }
}

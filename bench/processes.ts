import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

const msPerTick = 10

/** Processor time in milliseconds, by what used it. */
export type CpuMs = Record<string, number>

interface Stat {
  pid: number
  parent: number
  cpuMs: number
}

/** The processes to look at: everything under a root belongs to it, but for other roots' own. */
export type Roots = Record<string, number>

/** Gateway, database and lab of a data folder, and whoever else is named. */
export function rootsOf(dataDir: string, gatewayPid: number, others: Roots = {}): Roots {
  const postmaster = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8')
  const lab = JSON.parse(readFileSync(join(dataDir, 'lab.json'), 'utf8')) as { pid: number }
  const postgres = Number(postmaster.split('\n')[0])
  return { gateway: gatewayPid, postgres, lab: lab.pid, ...others }
}

/** Starts to measure; the answer tells what each root and all under it have used since. */
export function meterCpu(roots: Roots): () => CpuMs {
  const before = cpuOf(roots)
  return () => {
    const after = cpuOf(roots)
    return Object.fromEntries(
      Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]),
    )
  }
}

function cpuOf(roots: Roots): CpuMs {
  const groups = groupsOf(roots)
  const totalOf = (name: string) =>
    (groups[name] ?? []).reduce((total, { cpuMs }) => total + cpuMs, 0)
  return Object.fromEntries(Object.keys(roots).map((name) => [name, totalOf(name)]))
}

/** The processes of each root. */
function groupsOf(roots: Roots): Record<string, Stat[]> {
  const stats = readStats()
  const names = new Map(Object.entries(roots).map(([name, pid]) => [pid, name]))
  const byPid = new Map(stats.map((stat) => [stat.pid, stat]))
  const groups: Record<string, Stat[]> = {}
  for (const stat of stats) {
    let up: Stat | undefined = stat
    while (up !== undefined && !names.has(up.pid)) up = byPid.get(up.parent)
    const name = up === undefined ? undefined : names.get(up.pid)
    if (name !== undefined) (groups[name] ??= []).push(stat)
  }
  return groups
}

/** What a root and all under it hold: resident memory, open descriptors, sockets among them. */
export interface Held {
  rssMb: number
  descriptors: number
  sockets: number
}

export function heldBy(name: string, roots: Roots): Held {
  const held = { rssMb: 0, descriptors: 0, sockets: 0 }
  for (const { pid } of groupsOf(roots)[name] ?? []) {
    const [, rssKb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    held.rssMb += Number(rssKb ?? 0) / 1024
    const targets = targetsOf(`/proc/${pid}/fd`)
    held.descriptors += targets.length
    held.sockets += targets.filter((target) => target.startsWith('socket:')).length
  }
  return held
}

function targetsOf(folder: string): string[] {
  return readdirSync(folder).flatMap((entry) => {
    try {
      return [readlinkSync(join(folder, entry))]
    } catch {
      return [] // closed meanwhile
    }
  })
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

/** With the time of children that have ended and that it has asked about. */
function readStat(pid: number): Stat {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const ticks = fields.slice(11, 15).reduce((total, value) => total + value, 0)
  return { pid, parent: fields[1] ?? 0, cpuMs: ticks * msPerTick }
}

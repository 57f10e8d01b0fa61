import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { round } from './figures.ts'

/** Where and on what a run was made. */
export function describeMachine() {
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memoryGb: round(totalmem() / 2 ** 30, 1),
    kernel: release(),
    node: process.version,
    commit: commit(),
    /** Over the minute before the run: how busy others kept the machine. */
    loadBefore: round(loadavg()[0] ?? 0, 2),
  }
}

function commit(): string {
  try {
    const words = ['describe', '--always', '--dirty', '--abbrev=12']
    return execFileSync('git', words, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return 'unknown'
  }
}

import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { round } from './statistics.ts'

/** The machine and the commit that a result was measured on. */
export function describeMachine() {
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memoryGb: round(totalmem() / 2 ** 30, 1),
    kernel: release(),
    node: process.version,
    commit: describeCommit(),
    /** Load average of the minute before the run: how busy other programs kept the machine. */
    loadBefore: round(loadavg()[0] ?? 0, 2),
  }
}

function describeCommit(): string {
  try {
    const args = ['describe', '--always', '--dirty', '--abbrev=12']
    return execFileSync('git', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return 'unknown'
  }
}

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { monotonicMs } from '#base/kit/clock.ts'
import { omit } from '#base/kit/objects.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { Problem } from '#base/kit/problem.ts'
import type { Verdict } from '#operations/verify/ledger.ts'
import type { Proofs } from '#operations/verify/open.ts'
import type { Proof } from '#operations/verify/proof-store.ts'
import type { KeptAnchor } from '#operations/verify/verify.ts'
import { onDatabase } from './session.ts'
import { actor, isJson, print, startProgress } from './terminal.ts'
import { describeBreak, summarizeVerdict } from './verdict-text.ts'

/** `passerelle verify`: proves the ledger, or prints every break and exits with 1. */
export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('recompute every balance and check every hash chain of the ledger')
    .option('--anchors <file>', 'also compare with anchors kept elsewhere (anchors.ndjson)')
    .action(async (options, command: Command) => {
      const kept = options.anchors === undefined ? [] : await readKeptAnchors(options.anchors)
      const startedMs = monotonicMs()
      const verdict = await proveLedger(kept, isJson(command))
      const durationMs = Math.round(monotonicMs() - startedMs)
      print(command, { ...verdict, keptAnchors: kept.length, durationMs }, [
        ...verdict.breaks.map(describeBreak),
        summarizeVerdict(verdict, kept.length, durationMs),
      ])
      if (verdict.breaks.length > 0) process.exitCode = 1
    })
}

function proveLedger(kept: KeptAnchor[], asJson: boolean): Promise<Verdict> {
  return onDatabase(async ({ proofs, throwIfStopped }) => {
    const progress = startProgress('Verifying the ledger', asJson)
    try {
      const report = (done: number, total: number) => {
        throwIfStopped()
        progress.report(done, total)
      }
      const proof = await proofs.prove({ kept, actor: actor(), report })
      await keepProof(proofs, proof)
      return omit(proof, ['provedBy', 'startedAt', 'endedAt'])
    } finally {
      progress.end()
    }
  })
}

/** Keeps the result among the proofs; a database that takes no writes is proved all the same. */
async function keepProof(proofs: Proofs, proof: Omit<Proof, 'id'>): Promise<void> {
  try {
    await proofs.keep(proof)
  } catch (problem) {
    process.stderr.write(`The result is not kept: ${oneLine((problem as Error).message, 300)}\n`)
  }
}

async function readKeptAnchors(path: string): Promise<KeptAnchor[]> {
  try {
    const lines = (await readFile(path, 'utf8')).split('\n').filter(Boolean)
    if (lines.length === 0) throw new Error('there are none')
    return lines.map(readAnchor)
  } catch (problem) {
    throw new Problem(`The anchors in ${path} cannot be read: ${(problem as Error).message}.`)
  }
}

/** Reads a line of anchors.ndjson. */
export function readAnchor(line: string, index: number): KeptAnchor {
  const place = `line ${index + 1}`
  try {
    const { number, hash } = JSON.parse(line)
    if (Number.isInteger(number) && /^[0-9a-f]{64}$/.test(hash)) return { number, hash }
  } catch {}
  throw new Error(`${place} is not an anchor`)
}

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { monotonicMs } from '../kit/clock.ts'
import { Problem } from '../kit/problem.ts'
import { compareAnchors } from '../ledger/anchor.ts'
import type { Break } from '../ledger/break.ts'
import { verify } from '../ledger/verify.ts'
import { onDatabase } from './session.ts'
import { isJson, print, startProgress } from './terminal.ts'

/** `passerelle verify`: proves the ledger, or shows where it is broken and ends with 1. */
export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('recompute every balance and check every hash chain of the ledger')
    .option('--anchors <file>', 'also compare with anchors kept elsewhere (anchors.ndjson)')
    .action(async (options, command: Command) => {
      const progress = startProgress('Verifying the ledger', isJson(command))
      const startedMs = monotonicMs()
      const verdict = await onDatabase(async ({ db }) => {
        const found = await verify(db, progress.report)
        const kept = options.anchors === undefined ? [] : await readKept(options.anchors)
        return { ...found, breaks: [...found.breaks, ...(await compareAnchors(db, kept))] }
      })
      const durationMs = Math.round(monotonicMs() - startedMs)
      progress.end(verdict.breaks.length === 0 ? 'The ledger holds' : 'The ledger is broken')
      print(command, { ...verdict, durationMs }, [
        ...verdict.breaks.map(describe),
        `${verdict.postings} postings, ${verdict.entries} merchant entries, ` +
          `${verdict.accounts} accounts, ${verdict.anchors} anchors: ` +
          `${verdict.breaks.length} breaks (${durationMs} ms)`,
      ])
      if (verdict.breaks.length > 0) process.exitCode = 1
    })
}

function describe({ promise, clientId, where, what }: Break): string {
  return `BREAK ${promise}: ${clientId === null ? '' : `client ${clientId} `}${where} ${what}`
}

async function readKept(path: string): Promise<{ number: number; hash: string }[]> {
  try {
    const text = await readFile(path, 'utf8')
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  } catch (problem) {
    throw new Problem(`The anchors in ${path} cannot be read: ${(problem as Error).message}.`)
  }
}

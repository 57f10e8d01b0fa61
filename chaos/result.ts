import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stampOf } from '../bench/results-folder.ts'
import type { World } from './world.ts'

const resultsFolder = fileURLToPath(new URL('results/', import.meta.url))
const writeEveryMs = 30_000

/** The figures of a run, in a file of their own. */
export interface Result {
  /** What is known by now. */
  add(facts: object): void
  /** Writes them for the last time; returns where they are. */
  end(): string
}

/**
 * Keeps the figures of a run, and writes them every 30 seconds: a run of hours that is interrupted
 * or killed leaves what it has seen. `isJudged` says whether it came to its end.
 */
export function openResult(
  { killer, loads }: Pick<World, 'killer' | 'loads'>,
  about: { name: string; startedAt: Date; machine: object; options: object },
): Result {
  const path = join(resultsFolder, `${stampOf(about.startedAt)}-${about.name}.json`)
  let facts: object = { ...about, isJudged: false }
  const write = () => {
    mkdirSync(resultsFolder, { recursive: true })
    const figures = {
      ...facts,
      endedAt: new Date(),
      recoveries: killer.recoveries,
      loads: loads.map(({ perSecond, progress }) => ({ perSecond, ...progress() })),
    }
    writeFileSync(path, `${JSON.stringify(figures, null, 1)}\n`)
  }
  const writing = setInterval(write, writeEveryMs)
  return {
    add: (more) => {
      facts = { ...facts, ...more }
      write()
    },
    end: () => {
      clearInterval(writing)
      write()
      return path
    },
  }
}

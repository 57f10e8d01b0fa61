import type { World, WorldOptions } from './world.ts'

/** What an experiment saw with its own eyes, beside the judge's verdict. */
export interface Finding {
  what: string
  /** A figure with its unit, or a sentence. */
  value: string
  /** Undefined: a figure to know, without a goal. */
  isGood?: boolean
}

/** How much of an experiment is run. */
export interface Size {
  /** `short` without --share; else that share of `full`, at least 1. */
  count(short: number, full: number): number
  /** --minutes if given, else the count above, of seconds. */
  seconds(short: number, full: number): number
  /** Payments a second: --rate if given. */
  rate(usual: number): number
  /** --only: the one of several events that is wanted. */
  only: string | undefined
}

/** One experiment of the campaign. */
export interface Experiment {
  name: string
  /** What it proves, in one sentence. */
  proves: string
  /** What its full size is, in words. */
  full: string
  /** How its world differs from the usual one. */
  world?: Partial<WorldOptions>
  /** Prepares what the world stands on; what it returns undoes that at the end. */
  prepare?(options: WorldOptions): Promise<() => Promise<void>>
  /** Does the harm under load. Whatever it leaves is then given time to end, and judged. */
  run(world: World, size: Size): Promise<Finding[]>
  /** Why it cannot run on this machine, if it cannot. */
  isImpossible?(): Promise<string | undefined>
  /** Invariants of the judge that do not apply, each with the reason. */
  exempt?: Record<string, string>
}

type Wanted = Record<'share' | 'minutes' | 'rate', number | undefined> & Pick<Size, 'only'>

export function sizeOf({ share, minutes, rate, only }: Wanted): Size {
  const count = (short: number, full: number) =>
    share === undefined ? short : Math.max(1, Math.round(full * share))
  return {
    count,
    seconds: (short, full) => (minutes === undefined ? count(short, full) : minutes * 60),
    rate: (usual) => rate ?? usual,
    only,
  }
}

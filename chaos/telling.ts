import type { Progress } from '../bench/progress.ts'
import type { World } from './world.ts'

const showEveryMs = 1000
const rateSeconds = 10

/** Tells how far an experiment is, every second, until it is disposed of. */
export interface Telling extends Disposable {
  /** What is being done now. */
  say(text: string): void
  /** From here on the figures of this world are told too. */
  follow(world: Followed): void
}

type Followed = {
  killer: Pick<World['killer'], 'recoveries'>
  loads: Pick<World['loads'][number], 'progress' | 'perSecond'>[]
}

export function openTelling({ now }: Progress, name: string): Telling {
  const startedMs = performance.now()
  let step = 'starting'
  let followed: Followed | undefined
  const show = () => {
    const parts = followed === undefined ? [step] : [step, ...figuresOf(followed)]
    now(`${name} ${elapsed(performance.now() - startedMs)}: ${parts.join('; ')}`)
  }
  const showing = setInterval(show, showEveryMs)
  return {
    say: (text) => {
      step = text
      show()
    },
    follow: (world) => {
      followed = world
    },
    [Symbol.dispose]: () => clearInterval(showing),
  }
}

function figuresOf({ killer, loads }: Followed): string[] {
  const figures: string[] = []
  const acknowledged = sum(loads.map(({ progress }) => progress().acknowledged))
  if (acknowledged > 0) figures.push(`${acknowledged.toLocaleString('en')} acknowledged`)
  const running = loads.filter(({ progress }) => !progress().isOver)
  if (running.length > 0) figures.push(`${rateOf(running)} a second`)
  const last = killer.recoveries.at(-1)
  if (last !== undefined)
    figures.push(`recoveries: ${killer.recoveries.length}, the last in ${last.readyMs} ms`)
  return figures
}

/** What was acknowledged in a second of the last ten. */
function rateOf(loads: Followed['loads']): number {
  return Math.round(
    sum(
      loads.map(({ perSecond }) => {
        const [first, last] = [perSecond.at(-1 - rateSeconds) ?? perSecond[0], perSecond.at(-1)]
        if (first === undefined || last === undefined || first === last) return 0
        return ((last.acknowledged - first.acknowledged) * 1000) / (last.atMs - first.atMs)
      }),
    ),
  )
}

function sum(values: number[]): number {
  return values.reduce((all, value) => all + value, 0)
}

function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

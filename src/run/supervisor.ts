import type { Worker } from 'node:cluster'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MetricObject } from '@prometheus-io/client'
import { AggregatorRegistry } from '@prometheus-io/client'
import type { RateCount } from '../http/peer-processes.ts'
import { RateCounts } from '../http/rate-limit.ts'
import { monotonicMs } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { Problem } from '../kit/problem.ts'
import type { FromMember, Hit, Orders, Ready, ToMember } from './messages.ts'

interface CrewParts {
  count: number
  orders: Omit<Orders, 'isFirst'>
  log: Log
}

/** Processes that share a port. */
export interface Crew {
  /** The first one's word, once all are at work; fails with the first that cannot be. */
  ready: Promise<Ready>
  /** Lets each finish what is under way, and waits until all are gone. */
  stop(): Promise<void>
}

interface Place {
  isFirst: boolean
  startedMs: number
  /** How often in a row whoever had this place died soon after its start. */
  quickDeaths: number
}

// Who has worked this long and then dies is replaced at once.
const steadyMs = 10_000
const waitMaxMs = 10_000

/** How long a place stays empty: the sooner its holders die, the longer. */
export function waitBeforeReplacing(quickDeaths: number): number {
  return quickDeaths === 0 ? 0 : Math.min(100 * 2 ** quickDeaths, waitMaxMs)
}

/** Starts the processes and replaces whoever dies, until it is stopped. */
export function startCrew({ count, orders, log }: CrewParts): Crew {
  const aboard = new Map<Worker, Promise<unknown>>()
  const rest = new AbortController()
  const desk = openDesk(() => [...aboard.keys()])

  function fill(place: Place): Promise<Ready> {
    place.startedMs = monotonicMs()
    const worker = cluster.fork()
    const dropHanded = watchHanded(worker)
    const { promise, resolve, reject } = Promise.withResolvers<Ready>()
    aboard.set(worker, once(worker, 'exit'))
    worker.on('message', (word: FromMember) => {
      if (word.kind === 'hello') tell(worker, { kind: 'start', ...orders, isFirst: place.isFirst })
      else if (word.kind === 'ready') resolve(word)
      else if (word.kind === 'failed') reject(new Problem(word.sentence))
      else desk.hear(worker, word)
    })
    worker.on('exit', (code, signal) => {
      aboard.delete(worker)
      dropHanded()
      reject(new Problem(`A process ended before it was ready (${signal ?? code}).`))
      if (!rest.signal.aborted) void replace(place, { code, signal, pid: worker.process.pid })
    })
    return promise
  }

  async function replace(place: Place, ended: object): Promise<void> {
    const isSteady = monotonicMs() - place.startedMs > steadyMs
    place.quickDeaths = isSteady ? 0 : place.quickDeaths + 1
    const waitMs = waitBeforeReplacing(place.quickDeaths)
    log.error({ ...ended, waitMs }, 'a process ended and is replaced')
    try {
      await sleep(waitMs, undefined, { signal: rest.signal })
      await fill({ ...place, isFirst: false })
    } catch (problem) {
      if (!rest.signal.aborted) log.error({ err: problem }, 'a process could not be replaced yet')
    }
  }

  const places = Array.from({ length: count }, (_, index): Place => {
    return { isFirst: index === 0, startedMs: 0, quickDeaths: -1 }
  })
  const ready = Promise.all(places.map(fill)).then(([first]) => first as Ready)
  return {
    ready,
    stop: async () => {
      rest.abort()
      for (const worker of aboard.keys()) tell(worker, { kind: 'stop' })
      await Promise.all(aboard.values())
    },
  }
}

function tell(worker: Worker, word: ToMember): void {
  // Who is going hears nothing any more, which is no harm.
  if (worker.isConnected()) worker.send(word, () => {})
}

/**
 * Node forgets the connection that it was just handing to a process that dies, and whoever is at
 * its other end would wait for ever. This one remembers it, to be closed then.
 */
function watchHanded({ process: child }: Worker): () => void {
  const send = child.send.bind(child) as (...words: unknown[]) => boolean
  let handed: { close?(): void } | undefined
  child.send = (...words: unknown[]) => {
    // One at a time: the next is handed over when this one was taken.
    if (words[1] !== undefined) handed = words[1] as typeof handed
    return send(...words)
  }
  return () => handed?.close?.()
}

const figuresWithinMs = 1000

/** Where members count rates together and ask for each other's figures. */
function openDesk(members: () => Worker[]) {
  const rates = new RateCounts(undefined)
  const waiting = new Map<string, (figures: MetricObject[]) => void>()
  let asked = 0

  function count({ key, windowMs }: Hit): RateCount {
    let told: RateCount = { current: 0, ttl: 0 }
    rates.incr(
      key,
      (_problem, result) => {
        told = result
      },
      windowMs,
    )
    return told
  }

  /** A member that does not answer soon is left out. */
  async function figuresOf(worker: Worker): Promise<MetricObject[]> {
    asked += 1
    const name = `${worker.id} ${asked}`
    const { promise, resolve } = Promise.withResolvers<MetricObject[]>()
    waiting.set(name, resolve)
    tell(worker, { kind: 'figures', id: asked })
    const late = setTimeout(() => resolve([]), figuresWithinMs)
    const figures = await promise
    clearTimeout(late)
    waiting.delete(name)
    return figures
  }

  async function gather(): Promise<string> {
    const figures = await Promise.all(members().map(figuresOf))
    return AggregatorRegistry.aggregate(figures).metrics()
  }

  function hear(worker: Worker, word: FromMember): void {
    if (word.kind === 'count')
      tell(worker, { kind: 'counted', id: word.id, counts: word.hits.map(count) })
    else if (word.kind === 'figures') waiting.get(`${worker.id} ${word.id}`)?.(word.figures)
    else if (word.kind === 'gather')
      void gather().then((text) => tell(worker, { kind: 'gathered', id: word.id, text }))
  }

  return { hear }
}

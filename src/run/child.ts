import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Registry } from '@prometheus-io/client'
import type { Config } from '../config/config.ts'
import { batched } from '../db/batch.ts'
import { openPool } from '../db/server.ts'
import { shareClock } from '../db/share-clock.ts'
import type { PeerProcesses, RateCount } from '../http/peer-processes.ts'
import { systemClock as clock } from '../kit/clock.ts'
import { Problem } from '../kit/problem.ts'
import { openLog } from '../log/log.ts'
import type { ChildSettings, FromChild, RateHit, ToChild } from './messages.ts'
import { startProcess } from './process.ts'

// Only a supervisor that does not run needs longer to accept the connections in its queue.
const handOverMaxMs = 10_000

/** Runs one of several processes behind a port until a signal or the supervisor stops it. */
export async function runChild(config: Config, stopSignal: AbortSignal): Promise<never> {
  const log = openLog(config.logLevel, { forPeople: config.mode === 'sandbox' })
  const opened = new AsyncDisposableStack()
  const supervisor = connectToSupervisor()
  const isSignalled = stopSignal.aborted ? Promise.resolve() : once(stopSignal, 'abort')
  try {
    const { settings, peers } = await supervisor.begin()
    const { role, labUrl, port, publicUrl, payUrl } = settings
    const db = openPool(settings.databaseUrl)
    opened.defer(() => db.close())
    opened.defer((await shareClock(db, clock, log)).stop)
    const own = { ...config, port, publicUrl, payUrl }
    const running = await startProcess({ config: own, role, db, clock, log, labUrl, peers }, opened)
    supervisor.provideMetrics(running.registry)
    const linkUrl = settings.isFirst ? await running.makeLink() : null
    const { url, metricsUrl } = running
    await send({ kind: 'ready', url, metricsUrl, linkUrl })
  } catch (problem) {
    const { message, stack } = problem as Error
    const sentence = problem instanceof Problem ? message : (stack ?? message)
    await send({ kind: 'failed', sentence })
    await opened.disposeAsync()
    process.exit(1)
  }
  await Promise.race([isSignalled, supervisor.isStopping])
  await opened.disposeAsync()
  process.exit(0)
}

/** Opens the message channel to the supervisor. When it breaks, Node exits this process. */
function connectToSupervisor() {
  const started = Promise.withResolvers<ChildSettings>()
  const stopping = Promise.withResolvers<void>()
  const waiting = new Map<number, (answer: ToChild) => void>()
  let requests = 0
  let registry: Registry | undefined

  function ask(messageOf: (id: number) => FromChild): Promise<ToChild> {
    requests += 1
    const { promise, resolve } = Promise.withResolvers<ToChild>()
    waiting.set(requests, resolve)
    void send(messageOf(requests))
    return promise
  }

  async function sendMetrics(id: number): Promise<void> {
    await send({ kind: 'metrics', id, metrics: (await registry?.getMetricsAsJSON()) ?? [] })
  }

  process.on('message', (message: ToChild) => {
    if (message.kind === 'start') started.resolve(message)
    else if (message.kind === 'stop') stopping.resolve()
    // Without them the supervisor takes the last that it knows.
    else if (message.kind === 'metrics') sendMetrics(message.id).catch(() => {})
    else {
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    }
  })

  const countAll = batched(async (hits: RateHit[]): Promise<RateCount[]> => {
    const answer = await ask((id) => ({ kind: 'count', id, hits }))
    return answer.kind === 'counted' ? answer.counts : []
  })
  const peers: PeerProcesses = {
    countRate: (key, windowMs) => countAll({ key, windowMs }),
    reportDrained: async () => {
      const handedOver = ask((id) => ({ kind: 'drained', id }))
      await Promise.race([handedOver, sleep(handOverMaxMs, undefined, { ref: false })])
    },
    readMetrics: async () => {
      const answer = await ask((id) => ({ kind: 'gather', id }))
      if (answer.kind === 'gathered' && answer.text !== '') return answer.text
      throw new Error('the metrics of the processes could not be put together')
    },
  }
  return {
    isStopping: stopping.promise,
    /** Lets the supervisor read the metrics of this process. */
    provideMetrics: (own: Registry) => {
      registry = own
    },
    /** Reports to the supervisor and waits for the settings to start with. */
    begin: async () => {
      await send({ kind: 'hello' })
      return { settings: await started.promise, peers }
    },
  }
}

/** Sends a message; resolves once it was written to the channel. */
function send(message: FromChild): Promise<void> {
  return new Promise((resolve) => void process.send?.(message, () => resolve()))
}

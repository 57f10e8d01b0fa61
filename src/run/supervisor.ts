import type { Worker } from 'node:cluster'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../kit/problem.ts'
import type { Starts } from '../kit/restarts.ts'
import { countStarts } from '../kit/restarts.ts'
import type { Log } from '../log/log.ts'
import { closeHandedConnection } from './handed-connection.ts'
import { heapFlags } from './heap.ts'
import { rememberListeningSockets } from './listening-sockets.ts'
import type { ChildReady, ChildSettings, FromChild } from './messages.ts'
import { openSharedCounts, sendTo } from './shared-counts.ts'

interface SupervisorParts {
  count: number
  settings: Omit<ChildSettings, 'isFirst'>
  log: Log
}

/** Child processes that share a port. */
export interface Supervisor {
  /** The first child's report, once all of them serve; fails with the first that cannot start. */
  ready: Promise<ChildReady>
  /** Lets each child finish its requests and jobs, and waits until all have exited. */
  stop(): Promise<void>
}

/** The state of one child position across restarts. */
interface Slot {
  isFirst: boolean
  starts: Starts
}

/** Starts the child processes and restarts those that exit, until it is stopped. */
export function startSupervisor({ count, settings, log }: SupervisorParts): Supervisor {
  const running = new Map<Worker, Promise<unknown>>()
  const stopping = new AbortController()
  const stopListening = rememberListeningSockets()
  cluster.setupPrimary({ execArgv: [...process.execArgv, ...heapFlags] })
  const sharedCounts = openSharedCounts(() => [...running.keys()])

  function start(slot: Slot): Promise<ChildReady> {
    slot.starts.begin()
    const child = cluster.fork()
    const closeHanded = closeHandedConnection(child)
    const { promise, resolve, reject } = Promise.withResolvers<ChildReady>()
    running.set(child, once(child, 'exit'))
    child.on('message', (message: FromChild) => {
      if (message.kind === 'hello')
        sendTo(child, { kind: 'start', ...settings, isFirst: slot.isFirst })
      else if (message.kind === 'ready') resolve(message)
      else if (message.kind === 'drained') void handOver(child, message.id)
      else if (message.kind === 'failed') reject(new Problem(message.sentence))
      else sharedCounts.answer(child, message)
    })
    child.on('exit', (code, signal) => {
      running.delete(child)
      closeHanded()
      reject(new Problem(`A process ended before it was ready (${signal ?? code}).`))
      if (!stopping.signal.aborted) void restart(slot, { code, signal, pid: child.process.pid })
    })
    return promise
  }

  /** Lets a child that stops know when it gets no further connections. */
  async function handOver(child: Worker, id: number): Promise<void> {
    // Of a child that stops alone, the others take the connections.
    if (stopping.signal.aborted) await stopListening()
    sendTo(child, { kind: 'handedOver', id })
  }

  async function restart(slot: Slot, exit: object): Promise<void> {
    const waitMs = slot.starts.endedMs()
    log.error({ ...exit, waitMs }, 'a process ended and is replaced')
    try {
      await sleep(waitMs, undefined, { signal: stopping.signal })
      await start({ ...slot, isFirst: false })
    } catch (problem) {
      if (!stopping.signal.aborted)
        log.error({ err: problem }, 'a process could not be replaced yet')
    }
  }

  const slots = Array.from({ length: count }, (_, index): Slot => {
    return { isFirst: index === 0, starts: countStarts() }
  })
  const ready = Promise.all(slots.map(start)).then(([first]) => first as ChildReady)
  return {
    ready,
    stop: async () => {
      stopping.abort()
      for (const child of running.keys()) sendTo(child, { kind: 'stop' })
      await Promise.all(running.values())
    },
  }
}

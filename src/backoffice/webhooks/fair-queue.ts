/** The two limits that a job counts against. */
interface Lane {
  client: string
  /** Begins with the client and a space. */
  endpoint: string
}

interface FairQueueParts<Job> {
  laneOf(job: Job): Lane
  /** Runs one job; must not reject. */
  run(job: Job): Promise<void>
  /** Is given the jobs that will not run, once the queue is stopped. */
  giveBack(jobs: Job[]): void
}

export interface FairQueue<Job> {
  /** Queues jobs; drops those of an endpoint whose queue is full. */
  offer(jobs: Job[]): void
  /** The endpoints whose queues are at least half full. */
  busyEndpoints(): string[]
  /** Resolves once every queued job has run. */
  drain(): Promise<void>
  /** Starts no more jobs and gives them back; resolves once the running ones have ended. */
  stop(): Promise<void>
}

// A receiver that hangs occupies the slots of its own endpoint only. A client has many more slots
// than one endpoint, so that a few endpoints that hang do not use them up.
const endpointInFlightMax = 32
const clientInFlightMax = 256
const endpointQueueMax = 2000

/** Runs jobs concurrently, within the limits of each endpoint and each client. */
export function openFairQueue<Job>(parts: FairQueueParts<Job>): FairQueue<Job> {
  const { laneOf, run, giveBack } = parts
  const queues = new Map<string, Job[]>()
  const inFlight = new Map<string, number>()
  const running = new Set<Promise<void>>()
  let isStopping = false

  function count(key: string, by: number): void {
    const now = (inFlight.get(key) ?? 0) + by
    if (now === 0) inFlight.delete(key)
    else inFlight.set(key, now)
  }

  function startNext(endpoint: string): void {
    const queue = queues.get(endpoint) ?? []
    for (let [job] = queue; job !== undefined; [job] = queue) {
      const { client } = laneOf(job)
      if ((inFlight.get(endpoint) ?? 0) >= endpointInFlightMax) return
      if ((inFlight.get(client) ?? 0) >= clientInFlightMax) return
      queue.shift()
      start(job, endpoint, client)
    }
    if (queue.length === 0) queues.delete(endpoint)
  }

  function start(job: Job, endpoint: string, client: string): void {
    count(endpoint, 1)
    count(client, 1)
    const promise = run(job).finally(() => {
      running.delete(promise)
      count(endpoint, -1)
      count(client, -1)
      startNext(endpoint)
      // The client's other endpoints may have waited for this slot.
      for (const other of queues.keys()) if (other.startsWith(`${client} `)) startNext(other)
    })
    running.add(promise)
  }

  return {
    offer: (jobs) => {
      if (isStopping) return giveBack(jobs)
      for (const job of jobs) {
        const { endpoint } = laneOf(job)
        const queue = queues.get(endpoint) ?? []
        if (queue.length >= endpointQueueMax) continue
        queues.set(endpoint, queue)
        queue.push(job)
        startNext(endpoint)
      }
    },
    busyEndpoints: () =>
      [...queues].filter(([, queue]) => queue.length >= endpointQueueMax / 2).map(([key]) => key),
    drain: async () => {
      while (running.size > 0) await Promise.race(running)
    },
    stop: async () => {
      isStopping = true
      const waiting = [...queues.values()].flat()
      queues.clear()
      giveBack(waiting)
      await Promise.all(running)
    },
  }
}

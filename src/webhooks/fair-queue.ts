interface Lane {
  /** Whose places it takes. */
  client: string
  endpoint: string
}

interface FairQueueParts<Job> {
  laneOf(job: Job): Lane
  /** Does one job; must not throw. */
  run(job: Job): Promise<void>
}

export interface FairQueue<Job> {
  /** Takes jobs; those of an endpoint whose queue is full are left out. */
  offer(jobs: Job[]): void
  /** Endpoints that have enough to do. */
  busy(): string[]
  /** Waits until everything that was taken is done. */
  drain(): Promise<void>
  /** Ends after the jobs under way. */
  stop(): Promise<void>
}

// A receiver that hangs keeps its own places busy and nobody else's. A client's places are many
// more than one endpoint's, so that a few that hang do not use them up.
const endpointInFlightMax = 32
const clientInFlightMax = 256
const endpointQueueMax = 2000

/** Runs jobs side by side, each endpoint and each client within its own bounds. */
export function openFairQueue<Job>({ laneOf, run }: FairQueueParts<Job>): FairQueue<Job> {
  const queues = new Map<string, Job[]>()
  const inFlight = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  let isStopping = false

  function count(key: string, by: number): void {
    const now = (inFlight.get(key) ?? 0) + by
    if (now === 0) inFlight.delete(key)
    else inFlight.set(key, now)
  }

  function startNext(endpoint: string): void {
    const queue = queues.get(endpoint) ?? []
    for (let [job] = queue; job !== undefined && !isStopping; [job] = queue) {
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
    const going = run(job).finally(() => {
      underWay.delete(going)
      count(endpoint, -1)
      count(client, -1)
      startNext(endpoint)
      // The client's other endpoints may have waited for this place.
      for (const other of queues.keys()) if (other.startsWith(`${client} `)) startNext(other)
    })
    underWay.add(going)
  }

  return {
    offer: (jobs) => {
      for (const job of jobs) {
        const { endpoint } = laneOf(job)
        const queue = queues.get(endpoint) ?? []
        if (queue.length >= endpointQueueMax) continue
        queues.set(endpoint, queue)
        queue.push(job)
        startNext(endpoint)
      }
    },
    busy: () =>
      [...queues].filter(([, queue]) => queue.length >= endpointQueueMax / 2).map(([key]) => key),
    drain: async () => {
      while (underWay.size > 0) await Promise.race(underWay)
    },
    stop: async () => {
      isStopping = true
      await Promise.all(underWay)
    },
  }
}

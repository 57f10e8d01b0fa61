/** The count of a key in its current window. */
export interface RateCount {
  current: number
  /** Milliseconds until the window ends; @fastify/rate-limit sets the name. */
  ttl: number
}

/** What the processes behind one port share, so that together they behave like one process. */
export interface PeerProcesses {
  /** Counts a request of a key over all processes. */
  countRate(key: string, windowMs: number): Promise<RateCount>
  /** The metrics of all processes, summed, in the text format of Prometheus. */
  readMetrics(): Promise<string>
  /** Says that this process stops; resolves when it is handed no further connections. */
  reportDrained(): Promise<void>
}

/** How often a key has called in its minute, and how long that still lasts. */
export interface RateCount {
  current: number
  /** Milliseconds. */
  ttl: number
}

/** What processes behind one port do together, so that callers cannot tell them from one. */
export interface PeerProcesses {
  /** Counts a request of a key among those that any of them got. */
  countRate(key: string, windowMs: number): Promise<RateCount>
  /** The figures of all of them, for Prometheus. */
  readMetrics(): Promise<string>
}

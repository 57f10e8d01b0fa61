import type { SentRequest } from './http-pool.ts'
import type { Latency } from './statistics.ts'

/**
 * `{n}` in its path or body is replaced by another text for each request, and as its header
 * `x-forwarded-for` by another address.
 */
export type RequestTemplate = SentRequest

/** The load generator's input, as JSON on standard input. */
export interface LoadJob {
  url: string
  clients: number
  seconds: number
  rate: number | null
  /** Prefix of this job's texts for `{n}`, so that no two jobs share an id. */
  name: string
  /** The status that a successful request is answered with. */
  status: number
  /**
   * Where this job's webhooks are counted. At most `openPaymentsMax` payments are then open at a
   * time, as with merchants whose payers pay one after the other. Null: webhooks are not counted.
   */
  webhooks: { url: string; openPaymentsMax: number } | null
  /** Sent in rotation. */
  requests: RequestTemplate[]
}

/** The load generator's result, as its last line of JSON on standard output. */
export interface LoadReport {
  /** When the first request was sent, in milliseconds since 1970. */
  startedMs: number
  seconds: number
  answered: number
  /** Responses with another status and requests without a response, counted by cause. */
  errors: Record<string, number>
  latency: Latency
  /** The last count of the job's webhooks that was read before the load ended. */
  webhooks: { count: number; atMs: number } | null
  /** Processor time of the load generator during the load. */
  cpuMs: number
}

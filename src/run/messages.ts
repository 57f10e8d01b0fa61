import type { MetricObject } from '@prometheus-io/client'
import type { RateCount } from '../http/peer-processes.ts'
import type { Role } from './role.ts'

/** What a child process needs to start, decided once for all of them. */
export interface ChildSettings {
  role: Role
  databaseUrl: string
  labUrl: string | null
  port: number
  publicUrl: string
  payUrl: string
  /** The first child makes the payment link of the banner. */
  isFirst: boolean
}

/** What a child reports once it serves. */
export interface ChildReady {
  url: string
  metricsUrl: string | null
  linkUrl: string | null
}

/** One request to count against the limit of a key. */
export interface RateHit {
  key: string
  windowMs: number
}

/** Messages of a child to the supervisor. */
export type FromChild =
  | { kind: 'hello' }
  | ({ kind: 'ready' } & ChildReady)
  | { kind: 'failed'; sentence: string }
  | { kind: 'drained'; id: number }
  | { kind: 'metrics'; id: number; metrics: MetricObject[] }
  | { kind: 'count'; id: number; hits: RateHit[] }
  | { kind: 'gather'; id: number }

/** Messages of the supervisor to a child. */
export type ToChild =
  | ({ kind: 'start' } & ChildSettings)
  | { kind: 'metrics'; id: number }
  | { kind: 'counted'; id: number; counts: RateCount[] }
  | { kind: 'gathered'; id: number; text: string }
  | { kind: 'handedOver'; id: number }
  | { kind: 'stop' }

import type { MetricObject } from '@prometheus-io/client'
import type { RateCount } from '../http/peer-processes.ts'
import type { Role } from './role.ts'

/** What a member needs to know to begin. */
export interface Orders {
  role: Role
  databaseUrl: string
  labUrl: string | null
  port: number
  publicUrl: string
  payUrl: string
  /** The first one makes a payment link to try. */
  isFirst: boolean
}

/** What a member has to say about its start. */
export interface Ready {
  url: string
  linkUrl: string | null
}

export interface Hit {
  key: string
  windowMs: number
}

/** What members say to the process that leads them. */
export type FromMember =
  | { kind: 'hello' }
  | ({ kind: 'ready' } & Ready)
  | { kind: 'failed'; sentence: string }
  | { kind: 'figures'; id: number; figures: MetricObject[] }
  | { kind: 'count'; id: number; hits: Hit[] }
  | { kind: 'gather'; id: number }

/** What they are told. */
export type ToMember =
  | ({ kind: 'start' } & Orders)
  | { kind: 'figures'; id: number }
  | { kind: 'counted'; id: number; counts: RateCount[] }
  | { kind: 'gathered'; id: number; text: string }
  | { kind: 'stop' }

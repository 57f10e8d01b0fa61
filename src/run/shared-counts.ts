import type { Worker } from 'node:cluster'
import type { MetricObject } from '@prometheus-io/client'
import { AggregatorRegistry } from '@prometheus-io/client'
import type { RateCount } from '../http/peer-processes.ts'
import { MemoryRateStore } from '../http/rate-limit.ts'
import type { FromChild, RateHit, ToChild } from './messages.ts'

const metricsTimeoutMs = 1000

/** Counts rates for all children, and gathers their metrics for any of them. */
export function openSharedCounts(children: () => Worker[]) {
  const rates = new MemoryRateStore(undefined)
  const waiting = new Map<string, (metrics: MetricObject[]) => void>()
  const known = new WeakMap<Worker, MetricObject[]>()
  let requests = 0

  function count({ key, windowMs }: RateHit): RateCount {
    return rates.count(key, windowMs)
  }

  /** The metrics of a child: the last known when it does not answer in time. */
  async function metricsOf(child: Worker): Promise<MetricObject[]> {
    requests += 1
    const name = `${child.id} ${requests}`
    const { promise, resolve } = Promise.withResolvers<MetricObject[]>()
    waiting.set(name, resolve)
    sendTo(child, { kind: 'metrics', id: requests })
    // A sum without them would fall, which a reader of counters takes for a restart.
    const timer = setTimeout(() => resolve(known.get(child) ?? []), metricsTimeoutMs)
    const metrics = await promise
    clearTimeout(timer)
    waiting.delete(name)
    known.set(child, metrics)
    return metrics
  }

  async function gather(): Promise<string> {
    const metrics = await Promise.all(children().map(metricsOf))
    return AggregatorRegistry.aggregate(metrics).metrics()
  }

  return {
    /** Answers a child's message about rates or metrics. */
    answer(child: Worker, message: FromChild): void {
      if (message.kind === 'count')
        sendTo(child, { kind: 'counted', id: message.id, counts: message.hits.map(count) })
      else if (message.kind === 'metrics')
        waiting.get(`${child.id} ${message.id}`)?.(message.metrics)
      else if (message.kind === 'gather')
        // Without an answer the child would wait, and give nobody any metrics again.
        void gather()
          .catch(() => '')
          .then((text) => sendTo(child, { kind: 'gathered', id: message.id, text }))
    },
  }
}

/** Sends a message; one to a child that is exiting is dropped. */
export function sendTo(child: Worker, message: ToChild): void {
  if (child.isConnected()) child.send(message, () => {})
}

import type { Registry } from '@prometheus-io/client'
import { Gauge } from '@prometheus-io/client'
import { services } from '../catalog/services.ts'
import { groupSizes } from '../db/batch.ts'
import type { Domain } from '../domain.ts'
import { addCounter, addHistogram } from '../http/counted-metrics.ts'
import type { Buckets } from '../kit/buckets.ts'
import { limitRefusals } from '../limits/take.ts'
import { limitProblems } from '../links/checkout.ts'
import type { Traces } from '../traces/open.ts'

type Measured = Pick<Domain, 'providers' | 'webhooks' | 'outcomes'>

/**
 * Adds the metrics of payments, providers and webhooks (docs/metrics.md). The rooms count in plain
 * numbers; labels and texts are made here, when metrics are read.
 */
export function addDomainMetrics({ providers, webhooks, outcomes }: Measured, registry: Registry) {
  addProviderGauge(providers, registry)
  addCounter(
    {
      name: 'passerelle_transactions_ended_total',
      help: 'Transactions that ended, by service, type and failure code (NONE: success)',
      labelNames: ['service', 'type', 'failure'],
      registry,
    },
    function* read() {
      // A counter that begins at 0 shows its first increase.
      for (const { code, operation } of services) yield [[code, operation, 'NONE'], 0]
      yield* outcomes.counts.counts()
    },
  )
  addCounter(
    {
      name: 'passerelle_limit_refusals_total',
      help: 'Payments refused by a limit or the block list, by error code',
      labelNames: ['code'],
      registry,
    },
    function* read() {
      for (const kind of limitProblems) yield [[kind.toUpperCase()], 0]
      for (const [[kind = ''], count] of limitRefusals.counts()) yield [[kind.toUpperCase()], count]
    },
  )
  addHistogram(
    {
      name: 'passerelle_provider_call_duration_seconds',
      help: 'Time of calls to providers: orders, and all others',
      labelNames: ['provider', 'call'],
      registry,
    },
    function* read(): Generator<[Record<string, string>, Buckets]> {
      for (const { name: provider, latency } of providers.all()) {
        yield [{ provider, call: 'order' }, latency.orders]
        yield [{ provider, call: 'other' }, latency.others]
      }
    },
  )
  addCounter(
    {
      name: 'passerelle_webhook_tries_total',
      help: 'Tries to deliver webhooks, by class of the answer and state they led to',
      labelNames: ['answer', 'state'],
      registry,
    },
    () => webhooks.figures.tries.counts(),
  )
  addHistogram(
    {
      name: 'passerelle_webhook_lag_seconds',
      help: 'Time from the recording of a delivery to its success',
      labelNames: [],
      registry,
    },
    () => [[{}, webhooks.figures.lag]],
  )
  addHistogram(
    {
      name: 'passerelle_write_batch_size',
      help: 'Items that were written in one database transaction, by what they are',
      labelNames: ['batch'],
      registry,
    },
    () => [...groupSizes].map(([batch, sizes]) => [{ batch }, sizes]),
  )
}

/** The metric that shows whether traces reach their receiver; only where one is set. */
export function addSpanCounter({ figures }: Traces, registry: Registry): void {
  addCounter(
    {
      name: 'passerelle_trace_spans_total',
      help: 'Spans of traces, by what became of them: sent, or dropped',
      labelNames: ['result'],
      registry,
    },
    () => [
      [['sent'], figures.sent],
      [['dropped'], figures.dropped],
    ],
  )
}

/** The metric that shows which providers take orders from this process. */
function addProviderGauge(providers: Domain['providers'], registry: Registry): void {
  new Gauge({
    name: 'passerelle_provider_up',
    help: '1 while a provider takes orders, 0 while it is down or paused',
    labelNames: ['provider'],
    registers: [registry],
    aggregator: 'min',
    collect() {
      for (const provider of providers.all())
        this.set({ provider: provider.name }, provider.isAvailable() ? 1 : 0)
    },
  })
}

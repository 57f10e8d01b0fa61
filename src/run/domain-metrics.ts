import type { Registry } from '@prometheus-io/client'
import { Counter, Gauge } from '@prometheus-io/client'
import { groupSizes } from '../db/batch.ts'
import type { Domain } from '../domain.ts'
import { limitRefusals } from '../limits/take.ts'
import { limitProblems } from '../links/checkout.ts'
import { providerCalls } from '../providers/gated-client.ts'
import type { Traces } from '../traces/open.ts'

type Measured = Pick<Domain, 'providers' | 'webhooks' | 'outcomes'>

/** Adds the metrics of payments, providers and webhooks (docs/metrics.md), which rooms count. */
export function addDomainMetrics({ providers, webhooks, outcomes }: Measured, registry: Registry) {
  addProviderGauge(providers, registry)
  // A counter that begins at 0 shows its first increase.
  for (const kind of limitProblems) limitRefusals.inc({ code: kind.toUpperCase() }, 0)
  const { tries, lag } = webhooks.figures
  for (const one of [outcomes.counts, limitRefusals, providerCalls, tries, lag, groupSizes])
    registry.registerMetric(one)
}

/** The metric that shows whether traces reach their receiver; only where one is set. */
export function addSpanCounter({ figures }: Traces, registry: Registry): void {
  new Counter({
    name: 'passerelle_trace_spans_total',
    help: 'Spans of traces, by what became of them: sent, or dropped',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [result, count] of Object.entries(figures)) this.inc({ result }, count)
    },
  })
}

/** The metric that shows which providers take orders from this process. */
function addProviderGauge(providers: Domain['providers'], registry: Registry): void {
  new Gauge({
    name: 'passerelle_provider_up',
    help: '1 while a provider takes orders, 0 while it is down or paused',
    labelNames: ['provider'],
    registers: [registry],
    collect() {
      for (const provider of providers.all())
        this.set({ provider: provider.name }, provider.isAvailable() ? 1 : 0)
    },
  })
}

import { Gauge, type Registry } from '@prometheus-io/client'
import { groupSizes } from '#data/db/batch.ts'
import type { Domain } from '#domain.ts'
import { limitRefusals } from '#money/limits/take.ts'
import { limitProblems } from '#money/links/checkout.ts'
import { providerCalls } from '#money/providers/gated-client.ts'

type Measured = Pick<Domain, 'providers' | 'webhooks' | 'outcomes'>

/** Adds the metrics of payments, providers and webhooks (docs/metrics.md), which rooms count. */
export function addDomainMetrics({ providers, webhooks, outcomes }: Measured, registry: Registry) {
  addProviderGauges(providers, registry)
  // A counter that begins at 0 shows its first increase.
  for (const kind of limitProblems) limitRefusals.inc({ code: kind.toUpperCase() }, 0)
  const { tries, lag } = webhooks.figures
  for (const one of [outcomes.counts, limitRefusals, providerCalls, tries, lag, groupSizes])
    registry.registerMetric(one)
}

/** The metrics that show which providers take orders from this process, and which are paused. */
function addProviderGauges(providers: Domain['providers'], registry: Registry): void {
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
  new Gauge({
    name: 'passerelle_provider_paused',
    help: '1 while somebody has paused new orders to a provider',
    labelNames: ['provider'],
    registers: [registry],
    collect() {
      for (const provider of providers.all())
        this.set({ provider: provider.name }, provider.status().isPaused ? 1 : 0)
    },
  })
}

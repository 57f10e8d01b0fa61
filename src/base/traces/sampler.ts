import { diag } from '@opentelemetry/api'
import { getNumberFromEnv, getStringFromEnv } from '@opentelemetry/core'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'

/**
 * The sampler that OTEL_TRACES_SAMPLER names: the SDK leaves these two variables to its user. A
 * payment is the root of its trace, so that `parentbased_` changes nothing for it; what libraries
 * make within is kept with it.
 */
export function chosenSampler(): Sampler {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER') ?? 'always_on'
  return new ParentBasedSampler({ root: rootSampler(name.trim().replace(/^parentbased_/, '')) })
}

function rootSampler(name: string): Sampler {
  if (name === 'traceidratio')
    return new TraceIdRatioBasedSampler(getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG') ?? 1)
  if (name === 'always_off') return new AlwaysOffSampler()
  if (name !== 'always_on') diag.warn(`OTEL_TRACES_SAMPLER ${name} is not known here`)
  return new AlwaysOnSampler()
}

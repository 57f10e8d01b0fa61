import { Problem } from '../kit/problem.ts'
import type { ReadSetting } from './settings.ts'

/** Where traces go and how many of them; names and meanings are those of OpenTelemetry. */
export interface TraceSettings {
  /** The whole address that spans are posted to. */
  url: string
  /** Headers of each post, such as the key of a collector. */
  headers: Record<string, string>
  serviceName: string
  /** The part of the payments that is traced, from 0 to 1. */
  ratio: number
}

const samplers = ['always_on', 'always_off', 'traceidratio']

/** Reads the settings of traces; null: none are made. */
export function readTraces(
  text: ReadSetting,
  refuse: (sentence: string) => void,
): TraceSettings | null {
  const base = text('OTEL_EXPORTER_OTLP_ENDPOINT')
  const own = text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const given = own ?? base
  if (given === undefined) return null
  const protocol = text('OTEL_EXPORTER_OTLP_PROTOCOL')
  if (protocol !== undefined && protocol !== 'http/json')
    refuse('OTEL_EXPORTER_OTLP_PROTOCOL must be http/json, the only one that is spoken here.')
  return {
    url: readEndpoint(given, own === undefined, refuse),
    headers: readHeaders(text('OTEL_EXPORTER_OTLP_HEADERS'), refuse),
    serviceName: text('OTEL_SERVICE_NAME') ?? 'passerelle',
    ratio: readRatio(text, refuse),
  }
}

function readEndpoint(given: string, isBase: boolean, refuse: (sentence: string) => void): string {
  // The message does not repeat the value, which may contain a password.
  if (!/^https?:\/\//.test(given) || !URL.canParse(given))
    refuse('OTEL_EXPORTER_OTLP_ENDPOINT must be an address that begins with http:// or https://.')
  return isBase ? `${given.replace(/\/+$/, '')}/v1/traces` : given
}

function readHeaders(
  value: string | undefined,
  refuse: (sentence: string) => void,
): Record<string, string> {
  try {
    return Object.fromEntries(
      (value ?? '')
        .split(',')
        .filter((pair) => pair.trim() !== '')
        .map(readHeader),
    )
  } catch {
    refuse('OTEL_EXPORTER_OTLP_HEADERS must look like name=value,name=value.')
    return {}
  }
}

function readHeader(pair: string): [string, string] {
  const [, name = '', value = ''] = /^\s*([\w-]+)\s*=(.*)$/.exec(pair) ?? []
  const decoded = decodeURIComponent(value.trim())
  if (name === '' || /[^\x20-\x7e]/.test(decoded)) throw new Problem('not a header')
  return [name.toLowerCase(), decoded]
}

/** Payments are never traced because a caller asks for it, so `parentbased_` changes nothing. */
function readRatio(text: ReadSetting, refuse: (sentence: string) => void): number {
  const name = text('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  const sampler = name.replace(/^parentbased_/, '')
  if (!samplers.includes(sampler))
    refuse(`OTEL_TRACES_SAMPLER must be one of ${samplers.join(', ')}, not "${name}".`)
  if (sampler !== 'traceidratio') return sampler === 'always_off' ? 0 : 1
  const value = text('OTEL_TRACES_SAMPLER_ARG') ?? '1'
  const ratio = /^(0(\.\d+)?|1(\.0+)?)$/.test(value) ? Number(value) : Number.NaN
  if (Number.isNaN(ratio))
    refuse(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${value}".`)
  return ratio
}

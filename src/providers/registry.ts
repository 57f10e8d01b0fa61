import type { Service } from '../catalog/services.ts'
import type { Log } from '../kit/log.ts'
import { Problem } from '../kit/problem.ts'
import type { Binding } from './bindings.ts'
import { nameOf } from './bindings.ts'
import type { CallbackClaim, Connector, RawCallback } from './contract.ts'
import type { ProviderStatus } from './gate.ts'
import { openLine } from './line.ts'
import { protocolNamed } from './protocols.ts'

/** A provider in a country, ready to be spoken to. */
export interface Provider {
  /** `WALLETA_SN`. */
  name: string
  binding: Pick<Binding, 'provider' | 'country' | 'connector' | 'baseUrl'>
  connector: Connector
  /** Whether an order would be let through now. */
  isAvailable(): boolean
  status(): ProviderStatus
}

/** What reads the callbacks of a protocol that come without the address of an attempt. */
export interface CallbackReader {
  /** Undefined: no provider bound to this protocol has sent it. */
  readCallback(callback: RawCallback): (CallbackClaim & { provider: Provider }) | undefined
}

export interface Providers {
  /** The provider of a service; undefined: it is not bound. */
  find(service: Pick<Service, 'provider' | 'country'>): Provider | undefined
  all(): Provider[]
  /** By the name of the protocol, as it stands in the address of a callback. */
  connectorNamed(name: string): CallbackReader | undefined
  close(): void
}

interface ProvidersParts {
  bindings: Binding[]
  log: Log
  /** Whether an operator keeps new orders away from `WALLETA_SN`; asked before each one. */
  isPaused?: (name: string) => boolean
}

/** Opens the way to every provider that is bound; nothing is sent before the first order. */
export function openProviders({
  bindings,
  log,
  isPaused = () => false,
}: ProvidersParts): Providers {
  const opened = bindings.map((binding) => openProvider(binding, log, isPaused))
  const providers = opened.map(({ provider }) => provider)
  const byName = new Map(providers.map((provider) => [provider.name, provider]))
  return {
    find: (service) => byName.get(nameOf(service)),
    all: () => providers,
    connectorNamed: (name) => {
      const speakers = providers.filter(({ connector }) => connector.name === name)
      return speakers.length === 0
        ? undefined
        : { readCallback: (callback) => readByAny(speakers, callback) }
    },
    close: () => opened.forEach(({ close }) => close()),
  }
}

function openProvider(binding: Binding, log: Log, isPaused: (name: string) => boolean) {
  const { provider, country, connector, baseUrl, credentials } = binding
  const name = nameOf(binding)
  const protocol = protocolNamed(connector)
  if (protocol === undefined) throw new Problem(`${name}: there is no connector "${connector}".`)
  const line = openLine({
    name,
    baseUrl,
    probePath: protocol.probePath,
    isPaused: () => isPaused(name),
    log,
  })
  const opened: Provider = {
    name,
    // Without its credentials: this is shown.
    binding: { provider, country, connector, baseUrl },
    connector: protocol.open(line.send, credentials),
    isAvailable: () => line.isAvailable(),
    status: () => line.status(),
  }
  return { provider: opened, close: () => line.close() }
}

/** Each provider has a secret of its own: whoever's fits has sent it. */
function readByAny(speakers: Provider[], callback: RawCallback) {
  for (const provider of speakers) {
    const claim = provider.connector.readCallback(callback)
    if (claim !== undefined) return { ...claim, provider }
  }
  return undefined
}

import { Problem } from '#base/kit/problem.ts'
import type { Log } from '#base/log/log.ts'
import { openProviderNames, type ProviderNames } from '#base/net/provider-names.ts'
import type { Service } from '#merchants/catalog/services.ts'
import { type Binding, nameOf } from './bindings.ts'
import type { CallbackClaim, Connector, RawCallback } from './contract.ts'
import type { ProviderStatus } from './gate.ts'
import { openGatedClient } from './gated-client.ts'
import { protocolNamed } from './protocols.ts'

/** A provider in a country, with its connector. */
export interface Provider {
  /** `WALLETA_SN`. */
  name: string
  binding: Pick<Binding, 'provider' | 'country' | 'connector' | 'baseUrl'>
  connector: Connector
  /** Whether an order would be sent now: not paused, not down, below its cap. */
  isAvailable(): boolean
  status(): ProviderStatus
}

/** Reads the callbacks of a protocol whose callback address does not name an attempt. */
export interface CallbackReader {
  /** Undefined: no provider bound to this protocol has sent it. */
  readCallback(callback: RawCallback): (CallbackClaim & { provider: Provider }) | undefined
}

export interface Providers {
  /** The provider of a service; undefined: it is not bound. */
  find(service: Pick<Service, 'provider' | 'country'>): Provider | undefined
  all(): Provider[]
  /** By the name of a protocol; undefined: no provider is bound to it. */
  callbackReaderOf(protocolName: string): CallbackReader | undefined
  /**
   * From now on calls `listener` with the name of each provider that can be called again: it was
   * down and answers, or its pause has ended. Returns a function that ends this.
   */
  onBack(listener: (name: string) => void): () => void
  /** Tells those who listen that a provider can be called again. */
  announceBack(name: string): void
  close(): void
}

interface ProvidersParts {
  bindings: Binding[]
  log: Log
  /** Whether an operator has paused new orders to `WALLETA_SN`; called before each order. */
  isPaused?: (name: string) => boolean
}

/** Opens every bound provider, each with its own connections; nothing is sent before a call. */
export function openProviders({
  bindings,
  log,
  isPaused = () => false,
}: ProvidersParts): Providers {
  const names = openProviderNames(log)
  const listeners = new Set<(name: string) => void>()
  const announceBack = (name: string) => listeners.forEach((listener) => listener(name))
  const parts = { log, isPaused, names, announceBack }
  const opened = bindings.map((binding) => openProvider(binding, parts))
  const providers = opened.map(({ provider }) => provider)
  const byName = new Map(providers.map((provider) => [provider.name, provider]))
  return {
    find: (service) => byName.get(nameOf(service)),
    all: () => providers,
    callbackReaderOf: (protocolName) => {
      const bound = providers.filter(({ connector }) => connector.name === protocolName)
      return bound.length === 0
        ? undefined
        : { readCallback: (callback) => readBySender(bound, callback) }
    },
    onBack: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    announceBack,
    close: () => {
      opened.forEach(({ close }) => close())
      names.close()
    },
  }
}

interface CommonParts extends Required<Pick<ProvidersParts, 'log' | 'isPaused'>> {
  names: ProviderNames
  announceBack(name: string): void
}

function openProvider(binding: Binding, parts: CommonParts) {
  const { log, isPaused, names } = parts
  const { provider, country, connector, baseUrl, credentials } = binding
  const name = nameOf(binding)
  const protocol = protocolNamed(connector)
  if (protocol === undefined) throw new Problem(`${name}: there is no connector "${connector}".`)
  const client = openGatedClient({
    name,
    baseUrl,
    probePath: protocol.probePath,
    isPaused: () => isPaused(name),
    onBack: () => parts.announceBack(name),
    log,
    names,
  })
  const opened: Provider = {
    name,
    // Without the credentials: this object is shown.
    binding: { provider, country, connector, baseUrl },
    connector: protocol.open(client.send, credentials),
    isAvailable: () => client.isAvailable(),
    status: () => client.status(),
  }
  return { provider: opened, close: () => client.close() }
}

/** Each provider has its own secret: the one whose secret verifies the signature is the sender. */
function readBySender(providers: Provider[], callback: RawCallback) {
  for (const provider of providers) {
    const claim = provider.connector.readCallback(callback)
    if (claim !== undefined) return { ...claim, provider }
  }
  return undefined
}

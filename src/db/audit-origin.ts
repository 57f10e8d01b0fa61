import { AsyncLocalStorage } from 'node:async_hooks'

const addresses = new AsyncLocalStorage<string>()

/**
 * Runs work whose audit records name the address that a person acts from. The records are written
 * many calls further down, by verbs that have nothing else to do with addresses.
 */
export function actingFrom<T>(address: string, work: () => T): T {
  return addresses.run(address, work)
}

/** The address that is acted from; null: the gateway acts by itself. */
export function currentAddress(): string | null {
  return addresses.getStore() ?? null
}

import { AsyncLocalStorage } from 'node:async_hooks'

interface Origin {
  address: string
  /** The form that a person sent: whatever is recorded while it is worked on belongs to one act. */
  form?: string
}

const origins = new AsyncLocalStorage<Origin>()

/**
 * Runs work whose audit records name the address that a person acts from. The records are written
 * many calls further down, by verbs that have nothing else to do with addresses.
 */
export function actingFrom<T>(address: string, work: () => T): T {
  return origins.run({ address }, work)
}

/** The same for a form, whose own record and those of the verbs that it calls are one act. */
export function actingByForm<T>(form: string, work: () => T): T {
  const { address } = origins.getStore() ?? { address: null }
  return address === null ? work() : origins.run({ address, form }, work)
}

/** The address that is acted from, null: the gateway acts by itself; and the form, if it is one. */
export function currentOrigin(): { address: string | null; form?: string } {
  return origins.getStore() ?? { address: null }
}

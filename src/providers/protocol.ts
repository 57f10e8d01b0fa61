import type { Attempt, Capability, Connector, DeclineCause } from './contract.ts'
import type { Send } from './line.ts'

/** What a provider gave us to call it with, by the names its protocol asks for. */
export type Credentials = Readonly<Record<string, string>>

/** A protocol, before it is bound to a provider. */
export interface Protocol {
  readonly name: string
  readonly capabilities: Connector['capabilities']
  /** The names of the credentials it cannot do without. */
  readonly credentialNames: readonly string[]
  /** A path that may be asked for at any time, without credentials and without effect. */
  readonly probePath: string
  open(send: Send, credentials: Credentials): Connector
}

/** What a provider's word amounts to. */
export type Meaning = 'pending' | 'succeeded' | DeclineCause

/** One protocol's words; what is not in its table means nothing to us. */
export type Words<What extends string = Meaning> = Readonly<Record<string, What>>

/** What a word means, or undefined when it is not listed. */
export function meaningOf<What extends string>(
  words: Words<What>,
  word: string | null | undefined,
): What | undefined {
  // `Object.hasOwn`: "constructor" is not a word of any provider.
  return typeof word === 'string' && Object.hasOwn(words, word) ? words[word] : undefined
}

/** Our own reference as providers are shown it; callbacks bring it back. */
export function ourReference({ clientId, id }: Pick<Attempt, 'clientId' | 'id'>): string {
  return `${clientId}.${id}`
}

/** Whose attempt a reference names, when it is one of ours. */
export function readOurReference(text: unknown): { clientId: number; id: string } | null {
  if (typeof text !== 'string') return null
  const [, clientId, id] =
    /^(\d{1,9})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ?? []
  return clientId === undefined || id === undefined ? null : { clientId: Number(clientId), id }
}

// Wallets and operators answer within seconds; past that the answer is looked for by a query.
const deadlineMs = 8000
const minuteMs = 60_000

/** When to ask a provider that calls back: now and then, in case it does not. */
export const calledBackPollMs = [
  3000,
  3000,
  3000,
  3000,
  5000,
  10_000,
  20_000,
  30_000,
  minuteMs,
  2 * minuteMs,
  5 * minuteMs,
]

/** Promises that hold for most: asked after a second or two, then ever less often, for ever. */
export const usualCapability: Capability = {
  idempotency: 'rejects',
  canFindByOurs: true,
  notFoundIsFinalAfterMs: 10 * minuteMs,
  payerStep: 'none',
  deadlineMs,
  pollMs: [1500, 2000, 3000, 5000, 10_000, 20_000, 30_000, minuteMs, 2 * minuteMs, 5 * minuteMs],
}

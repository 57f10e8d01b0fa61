export const keyScopes = ['key', 'client'] as const

/** What a key sees of its client: the records that were created with it, or all of them. */
export type KeyScope = (typeof keyScopes)[number]

/** A key of a client, and what it sees; left out: only what was created with it. */
export interface Viewer {
  clientId: number
  keyId: string
  scope?: KeyScope
}

/** The one rule for everything that shows records: lookups, repeated requests, events. */
export function sees({ keyId, scope }: Viewer, record: { keyId: string }): boolean {
  return scope === 'client' || record.keyId === keyId
}

/** The key whose records alone are seen, for a condition of a statement; null: no condition. */
export function onlyKey({ keyId, scope }: Viewer): string | null {
  return scope === 'client' ? null : keyId
}

/**
 * The key of records that people made in a browser or at a terminal: none. Keys that see only their
 * own records do not see these.
 */
export const noKey = '00000000-0000-0000-0000-000000000000'

/** An operator, who sees all of a client. */
export function wholeClient(clientId: number): Viewer {
  return { clientId, keyId: '', scope: 'client' }
}

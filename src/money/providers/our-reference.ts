import { isUuid } from '#base/kit/ids.ts'
import type { Attempt } from './contract.ts'

/** Our reference of an attempt, sent to the provider and repeated in its callbacks. */
export function ourReference({ clientId, id }: Pick<Attempt, 'clientId' | 'id'>): string {
  return `${clientId}.${id}`
}

/** The attempt that a reference names, or null when we did not write the reference. */
export function readOurReference(text: unknown): { clientId: number; id: string } | null {
  if (typeof text !== 'string') return null
  const [, clientId, id = ''] = /^(\d{1,9})\.(.+)$/.exec(text) ?? []
  return isUuid(id) ? { clientId: Number(clientId), id } : null
}

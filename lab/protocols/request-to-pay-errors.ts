import type { Answer } from '../router.ts'

/** Identifiers that clients make are UUIDs of version 4. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** An answer with the error object of this protocol. */
export function refusal(status: number, code: string, message: string): Answer {
  return { status, body: { code, message } }
}

/** The answer at an address that leads to nothing. */
export function unknownResource(): Answer {
  return refusal(404, 'RESOURCE_NOT_FOUND', 'Requested resource was not found')
}

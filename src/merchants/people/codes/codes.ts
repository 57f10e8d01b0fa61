import { createHash } from 'node:crypto'
import { newId, randomText } from '#base/kit/ids.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { AccessCode } from './store.ts'

type Purpose = Pick<AccessCode, 'kind' | 'email'> & Partial<AccessCode>

/** Makes a code of 256 random bits; only its hash is kept. */
export function newCode(
  purpose: Purpose,
  times: { createdAt: Date; expiresAt: Date },
): { code: string; row: AccessCode } {
  const code = randomText(32)
  const nobody = { personId: null, clientId: null, role: null, invitedBy: null }
  const id = newId(times.createdAt)
  return { code, row: { ...nobody, ...purpose, ...times, id, hash: hashOfCode(code) } }
}

export function hashOfCode(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}

export function codeOver(): Refusal {
  return new Refusal('not_found', 'This link is no longer valid: ask for a new one')
}

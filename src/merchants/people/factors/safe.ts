import { createHmac } from 'node:crypto'
import {
  keysFor,
  lastingKeyFor,
  openText,
  readSealed,
  type SecretKey,
  sealText,
} from '#base/sealing/seal.ts'
import type { Db } from '#data/db/db.ts'
import { type Factor, findFactor } from './store.ts'

export const factorPurpose = 'second factors'
/** Codes are hashed with a key that stays the same when SECRET_KEY is changed. */
export const recoveryPurpose = 'recovery codes'

export type FactorSafe = ReturnType<typeof openFactorSafe>

/** How secrets of second factors are kept: sealed, and recovery codes as keyed hashes. */
export function openFactorSafe({ db, secretKey }: { db: Db; secretKey: SecretKey }) {
  const keys = keysFor(secretKey, factorPurpose)
  const codeKey = lastingKeyFor(secretKey, recoveryPurpose)
  return {
    seal: (secret: Buffer, personId: string) => sealText(keys, secret.toString('base64'), personId),
    /** A secret that is not kept yet: of one session, which gives it back with its first code. */
    sealOffer: (secret: Buffer, sessionId: string) =>
      sealText(keys, secret.toString('base64'), offerOf(sessionId)),
    /** Undefined: it was not offered to this session. */
    openOffer: (sealed: string, sessionId: string): Buffer | undefined => {
      if (readSealed(sealed) === undefined) return undefined
      try {
        return Buffer.from(openText(keys, sealed, offerOf(sessionId)), 'base64')
      } catch {
        return undefined
      }
    },
    hashOf: (code: string) => createHmac('sha256', codeKey).update(plainCode(code)).digest(),
    find: async (personId: string): Promise<(Factor & { bytes: Buffer }) | undefined> => {
      const factor = await findFactor(db, personId)
      if (factor === undefined) return undefined
      return { ...factor, bytes: Buffer.from(openText(keys, factor.secret, personId), 'base64') }
    },
  }
}

function offerOf(sessionId: string): string {
  return `offered to ${sessionId}`
}

/** A code without spaces and hyphens, which are typed or not. */
export function plainCode(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toLowerCase()
}

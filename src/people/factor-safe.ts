import { createHmac } from 'node:crypto'
import type { Db } from '../db/db.ts'
import { keyFor, openText, sealText } from '../kit/seal.ts'
import type { Factor } from './factor-store.ts'
import { findFactor } from './factor-store.ts'

export type FactorSafe = ReturnType<typeof openFactorSafe>

/** How secrets of second factors are kept: sealed, and recovery codes as keyed hashes. */
export function openFactorSafe({ db, secretKey }: { db: Db; secretKey: Buffer }) {
  const key = keyFor(secretKey, 'second factors')
  const codeKey = keyFor(secretKey, 'recovery codes')
  return {
    seal: (secret: Buffer, personId: string) => sealText(key, secret.toString('base64'), personId),
    hashOf: (code: string) => createHmac('sha256', codeKey).update(plainCode(code)).digest(),
    find: async (personId: string): Promise<(Factor & { bytes: Buffer }) | undefined> => {
      const factor = await findFactor(db, personId)
      if (factor === undefined) return undefined
      return { ...factor, bytes: Buffer.from(openText(key, factor.secret, personId), 'base64') }
    },
  }
}

/** A code without spaces and hyphens, which are typed or not. */
export function plainCode(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toLowerCase()
}

import { keysFor, openText, type SecretKey, sealText } from '#base/sealing/seal.ts'
import type { Transaction } from './transaction.ts'

/** Encrypts recharge codes for storage, each bound to its transaction: they are as good as cash. */
export interface TokenSafe {
  /** Encrypts codes, in the order to type them. */
  seal(of: Pick<Transaction, 'clientId' | 'id'>, tokens: string[]): string
  /** The codes of a transaction in clear text; null: it has none. */
  open(transaction: Pick<Transaction, 'clientId' | 'id' | 'sealedToken'>): string | null
}

export const tokenPurpose = 'recharge codes'

/** Opens the safe with the key of this installation. */
export function openTokenSafe(secretKey: SecretKey): TokenSafe {
  const keys = keysFor(secretKey, tokenPurpose)
  return {
    seal: (of, tokens) => sealText(keys, tokens.join(' '), tokenContext(of)),
    open: (transaction) =>
      transaction.sealedToken === null
        ? null
        : openText(keys, transaction.sealedToken, tokenContext(transaction)),
  }
}

/** What a code is bound to by sealing. */
export function tokenContext({ clientId, id }: { clientId: number; id: string }): string {
  return `${clientId} ${id}`
}

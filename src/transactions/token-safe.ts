import { keyFor, openText, sealText } from '../kit/seal.ts'
import type { Transaction } from './transaction.ts'

/** Encrypts recharge codes for storage, each bound to its transaction: they are as good as cash. */
export interface TokenSafe {
  /** Encrypts codes, in the order to type them. */
  seal(of: Pick<Transaction, 'clientId' | 'id'>, tokens: string[]): string
  /** The codes of a transaction in clear text; null: it has none. */
  open(transaction: Pick<Transaction, 'clientId' | 'id' | 'sealedToken'>): string | null
}

/** Opens the safe with the key of this installation. */
export function openTokenSafe(secretKey: Buffer): TokenSafe {
  const key = keyFor(secretKey, 'recharge codes')
  return {
    seal: (of, tokens) => sealText(key, tokens.join(' '), contextOf(of)),
    open: (transaction) =>
      transaction.sealedToken === null
        ? null
        : openText(key, transaction.sealedToken, contextOf(transaction)),
  }
}

function contextOf({ clientId, id }: { clientId: number; id: string }): string {
  return `${clientId} ${id}`
}

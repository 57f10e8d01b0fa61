import { keyFor, openText, sealText } from '../kit/seal.ts'
import type { Transaction } from './transaction.ts'

/** Recharge codes are as good as cash: they are kept sealed, each for its own transaction. */
export interface TokenSafe {
  /** Codes in the order to type them, ready to be kept. */
  seal(of: Pick<Transaction, 'clientId' | 'id'>, tokens: string[]): string
  /** The codes of a transaction as its merchant is told them; null: it has none. */
  open(transaction: Pick<Transaction, 'clientId' | 'id' | 'sealedToken'>): string | null
}

/** Opens the safe of this installation. */
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

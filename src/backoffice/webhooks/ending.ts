import { type Balances, type EventParts, writeEvent, writeLinkEvent } from '#edge/wire/event.ts'
import type { EndedLink } from '#money/links/follow.ts'
import type { Link } from '#money/links/link.ts'
import type { TokenSafe } from '#money/transactions/token-safe.ts'
import { isTokenMissing, type Transaction } from '#money/transactions/transaction.ts'

/** A transaction or link that reached a final status, and what its event is made from. */
export interface Ending {
  clientId: number
  /** The key that created the record. */
  keyId: string
  recordKind: 'transaction' | 'link'
  recordId: string
  /** Null: the event goes to the client's own address, if it has one. */
  callbackUrl: string | null
  /** Null: no money moved. */
  balances: Balances | null
  /** The event holds a recharge code, which is as good as cash: its body is stored sealed. */
  isSecret: boolean
  /** Whether it ended without success: the event then has a sentence in the client's language. */
  hasFailed: boolean
  /** Builds the body of the event. */
  write(parts: EventParts): object
}

/** The end of a link; the balances are those of the payment that ended it, if one succeeded. */
export function endingOfLink({ link, payment }: EndedLink): Ending {
  const { clientId, keyId, id, callbackUrl } = link
  const { balanceBefore = null, balanceAfter = null } = payment?.status === 'SUCCESS' ? payment : {}
  return {
    clientId,
    keyId,
    recordKind: 'link',
    recordId: id,
    callbackUrl: callbackUrl === '' ? null : callbackUrl,
    balances: balancesOf(balanceBefore, balanceAfter),
    isSecret: false,
    hasFailed: link.status !== 'SUCCESS',
    write: (parts) => writeLinkEvent(link, payment, parts),
  }
}

/** The end of a transaction; `link`: of a refund, the one whose money it sends back. */
export function endingOfTransaction(
  transaction: Transaction,
  tokens: TokenSafe,
  link?: Link,
): Ending {
  const { clientId, keyId, id, callbackUrl, balanceBefore, balanceAfter, sealedToken } = transaction
  return {
    clientId,
    keyId,
    recordKind: 'transaction',
    recordId: id,
    callbackUrl,
    balances: balancesOf(balanceBefore, balanceAfter),
    // A code that is missing is added to the event when it is known.
    isSecret: sealedToken !== null || isTokenMissing(transaction),
    hasFailed: transaction.status !== 'SUCCESS',
    write: (parts) => writeEvent(transaction, parts, { token: tokens.open(transaction), link }),
  }
}

function balancesOf(before: number | null, after: number | null): Balances | null {
  return before === null || after === null ? null : { before, after }
}

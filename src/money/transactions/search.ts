import { isUuidInAnyCase } from '#base/kit/ids.ts'
import { readAmount } from '#base/kit/money.ts'
import type { PseudonymOf } from '#base/sealing/pseudonym.ts'
import type { Db } from '#data/db/db.ts'
import { isStorable } from '#data/db/storable-text.ts'
import { possiblePhones } from '#merchants/catalog/phone-forms.ts'
import { examinedMax, idRange, placesOf } from './list.ts'
import { findByOurId, findByText, findByWords } from './search-store.ts'
import type { Transaction } from './transaction.ts'

const foundMax = 50
const textMax = 128

/**
 * The transactions of clients that a text names, newest first, 50 at most: one of our ids; or
 * else an external id or its beginning, a number in any form, a provider's reference. A number that
 * is no longer kept is found by its pseudonym. What names none of one client may be an amount, an
 * item or a customer.
 */
export async function searchTransactions(
  db: Db,
  clientIds: number[],
  searched: string,
  pseudonymOf: PseudonymOf = (number) => number,
): Promise<Transaction[]> {
  const text = searched.trim()
  if (text === '' || text.length > textMax || !isStorable(text)) return []
  // An external id may be anything, the id of somebody else's transaction too: ours wins.
  const own = isUuidInAnyCase(text) ? await findByOurId(db, { id: text, clientIds }, foundMax) : []
  if (own.length > 0) return own
  // As it is too: the number of a meter has any length.
  const numbers = [text, ...possiblePhones(text)]
  const wanted = {
    text,
    phones: [...new Set([...numbers, ...numbers.map(pseudonymOf)])],
    clientIds,
    places: await placesOf(db, clientIds, idRange(null, null, null)),
  }
  const [clientId, ...others] = clientIds
  const isOne = clientId !== undefined && others.length === 0
  const named = await findByText(db, wanted, foundMax)
  // No index has these: the newest are read, which only what names nothing is worth.
  if (named.length > 0 || !isOne) return named
  const words = { clientId, text, amount: readAmount(text) ?? null }
  return findByWords(db, words, { limit: foundMax, examined: examinedMax })
}

import { isUuidInAnyCase } from '#base/kit/ids.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import type { Db } from '#data/db/db.ts'
import { isStorable } from '#data/db/storable-text.ts'
import { findBearers, findOwn } from './timeline-store.ts'
import type { TransactionId } from './transaction.ts'

const choicesMax = 10

/**
 * The transaction that an operator names: by our id, which always wins, or by a client's external
 * id. Several clients can use one external id, and each may use whatever it likes, the id of
 * somebody else's transaction too: it counts only together with its client. Without one it is
 * refused, and the refusal says whose transactions bear it; one alone may be read so.
 */
export async function namedTransaction(
  db: Db,
  text: string,
  { clientId, isOnlyRead = false }: { clientId: number | null; isOnlyRead?: boolean },
): Promise<TransactionId | undefined> {
  if (!isStorable(text)) return undefined
  const own = isUuidInAnyCase(text) ? await findOwn(db, text) : undefined
  if (own !== undefined) return own
  const bearers = await findBearers(db, text, clientId)
  const isEnough = clientId !== null || (isOnlyRead && bearers.length === 1)
  if (isEnough || bearers.length === 0) return bearers[0]
  const choices = bearers
    .slice(0, choicesMax)
    .map((one) => `${one.id} (${one.clientName}, ${one.clientId})`)
  throw new Refusal(
    'conflict',
    reason(
      '{id} is an external id: name its client too, or one of these: {choices}',
      { id: text, choices: choices.join(' · ') },
      'transaction',
    ),
  )
}
